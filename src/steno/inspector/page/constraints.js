// Constraints and memory: what is pinned and where it was said, what is known of users, and changes to both.
import {counted, empty, fill, h} from "./dom.js";
import {act, read} from "./api.js";
import {link, say} from "./app.js";
import {ask} from "./acts.js";

const done = async (work, words) => {
  try {
    await work;
    say(words);
  } catch (failure) {
    say(failure.message);
  }
};

export function constraintsView(main, name) {
  const standing = h("ul", {class: "cards"}), retired = h("ul", {class: "cards"}), pins = h("ul", {class: "cards"});
  const text = h("input", {type: "text", id: "constraint", required: true, placeholder: "Never push to main."});
  const change = async (what, words) => {
    await done(act({session: name, ...what}), words);
    await draw();
  };
  const add = async (event) => {
    event.preventDefault();
    await change({do: "add_constraint", text: text.value}, "the constraint is in force");
    text.value = "";
  };
  const edit = async (constraint) => {
    const given = await ask("Edit the constraint", [{key: "text", label: "Its words", value: constraint.text, lines: 4}], "Save");
    if (given) await change({do: "edit_constraint", id: constraint.id, ...given}, "the constraint has other words");
  };
  const where = (constraint) => (constraint.position === null || constraint.position === undefined ? h("span", {class: "quiet"}, "given from outside")
    : h("a", {href: link("session", name, "", constraint.position)}, `said at ${constraint.position}`));

  function card(constraint) {
    return h("li", {}, h("p", {dir: "auto"}, constraint.text), h("p", {class: "quiet"}, `${constraint.id} · `, where(constraint)),
      h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => edit(constraint)}, "Edit…"),
        h("button", {type: "button", onclick: () => change({do: "retire_constraint", id: constraint.id}, "the constraint is retired")}, "Retire")));
  }

  async function draw() {
    try {
      const found = await read("constraints", {name});
      fill(standing, found.standing.length ? found.standing.map(card) : empty("No constraint is in force.", "li"));
      fill(retired, found.retired.length ? found.retired.map((constraint) => h("li", {}, h("p", {dir: "auto"}, constraint.text), h("p", {class: "quiet"}, constraint.id))) : empty("None.", "li"));
      fill(pins, found.pins.length ? found.pins.map(({at, says}) => h("li", {}, h("p", {dir: "auto"}, says),
        h("div", {class: "buttons"}, h("a", {href: link("session", name, "", at)}, `position ${at}`),
          h("button", {type: "button", onclick: () => change({do: "unpin", at}, "it may be covered again")}, "Unpin")))) : empty("No message is pinned.", "li"));
    } catch (failure) {
      fill(standing, empty(failure.message, "li"));
    }
  }

  main.append(h("h1", {class: "clip"}, name),
    h("section", {"aria-labelledby": "h-standing"}, h("h2", {id: "h-standing"}, "Constraints in force"),
      h("p", {class: "note"}, "Given from outside, or said by a person in the session. They stay in view word for word."),
      h("form", {class: "searches", onsubmit: add}, h("label", {}, "Add a constraint", text), h("button", {}, "Add")), standing),
    h("section", {"aria-labelledby": "h-pins"}, h("h2", {id: "h-pins"}, "Pinned messages"), pins),
    h("section", {"aria-labelledby": "h-retired"}, h("h2", {id: "h-retired"}, "Retired constraints"), retired));
  fill(standing, empty("Reading…", "li"));
  draw();
  return {};
}

export function memoriesView(main) {
  const place = h("div", {});

  const change = async (what, words) => {
    await done(act(what), words);
    await draw();
  };
  const edit = async (user, memory) => {
    const given = await ask("Edit the memory", [{key: "text", label: "Its words", value: memory.text, lines: 4}], "Save");
    if (given) await change({do: "edit_memory", user, id: String(memory.id), ...given}, "the memory has other words");
  };
  const from = (memory) => (memory.source ? h("a", {href: link("session", memory.source, "", ...(memory.position === null ? [] : [memory.position]))},
    memory.position === null ? memory.source : `${memory.source} ${memory.position}`) : "typed as a memory");
  const card = (user, memory) => h("li", {}, h("p", {dir: "auto"}, memory.text),
    h("p", {class: "quiet"}, `${memory.kind} · ${memory.trust} · ${new Date(1000 * memory.when).toISOString().slice(0, 10)} · `, from(memory)),
    h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => edit(user, memory)}, "Edit…"),
      h("button", {type: "button", class: "danger", onclick: () => change({do: "delete_memory", user, id: String(memory.id)}, "it is not remembered any more")}, "Forget")));

  async function draw() {
    try {
      const users = await read("memories");
      fill(place, users.length ? users.map(({user, memories}) => h("section", {"aria-label": user}, h("h2", {}, `${user}: ${counted(memories.length, "memory").replace("memorys", "memories")}`),
        h("ul", {class: "cards"}, memories.map((memory) => card(user, memory))))) : empty("No session here names a user."));
    } catch (failure) {
      fill(place, empty(failure.message));
    }
  }

  main.append(h("h1", {}, "Memory"), h("p", {class: "note"}, "What is known of users from all their sessions, and where it comes from."), place);
  draw();
  return {};
}
