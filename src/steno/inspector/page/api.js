// What the server is asked: JSON to read, actions, and the sessions as they change.

const problem = async (answer) => {
  try {
    return (await answer.json()).error;
  } catch {
    return `the server answered ${answer.status}`;
  }
};

async function asked(path, options) {
  const answer = await fetch(`inspect/${path}`, options);
  if (!answer.ok) throw new Error(await problem(answer));
  return answer;
}

export const read = async (name, query = {}) => (await asked(`${name}?${new URLSearchParams(query)}`)).json();

export const act = async (what) => (await asked("act", {
  method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(what),
})).json();

/** The sessions by name, kept as they change; `changed` is called with the names. */
export function follow(rows, changed, state) {
  const source = new EventSource("inspect/events");
  source.onopen = () => state("live");
  source.onerror = () => state("not connected");
  source.addEventListener("outlines", (event) => {
    const listed = JSON.parse(event.data), names = new Set(listed.map((row) => row.session));
    for (const name of rows.keys()) if (!names.has(name)) rows.delete(name);
    const before = new Map(rows);
    rows.clear();
    for (const row of listed) rows.set(row.session, before.get(row.session) ?? row);
    changed([...rows.keys()]);
  });
  source.addEventListener("row", (event) => {
    const row = JSON.parse(event.data);
    rows.set(row.session, row);
    changed([row.session]);
  });
  source.addEventListener("gone", (event) => {
    const name = JSON.parse(event.data);
    rows.delete(name);
    changed([name]);
  });
}
