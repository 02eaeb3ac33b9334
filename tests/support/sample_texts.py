"""Texts to count, one of each kind that agents meet; written for these tests."""

from __future__ import annotations

import json

PROSE = """\
The harbour office opens at six, long before anybody has a reason to be there. Marta likes those hours. She makes
coffee in the dented pot, reads the tide table aloud to nobody, and writes the names of the boats that are expected
into a book whose spine has been taped together more often than it has been opened. By seven the first skippers come
in to complain about the fuel price, the weather, the new regulations, or each other; by eight she has forgotten that
the morning was ever quiet.

It was on one of those mornings that the letter arrived. It had no stamp, and whoever had pushed it under the door had
done so carefully, as if the paper itself might wake someone. Inside was a single sheet with a list of dates, each
followed by a number between one and forty, and at the bottom a sentence that she would read several times that day:
"You were told that the lighthouse keeps no records, but it does, and they disagree with yours." Nothing else. She
turned the sheet over, held it against the window, and found that the paper was the kind the school used.

Her first thought was that it must be a joke, because everything that happens in a small town is either a joke or a
funeral. Her second thought was to compare the dates with her book. She did not expect to find anything, which is
perhaps why she was so slow to understand what she saw: on every one of those days a boat had been written in twice,
once in her own hand and once in a hand that tried very hard to look like it. Whoever had done this knew how she
crossed her sevens. They knew that she pressed harder at the end of a line. They did not know, however, that she had
never in her life used blue ink, and under the lamp the second entries were very slightly blue.
"""

PYTHON = '''\
"""Keeps the newest readings of many sensors, and tells when one has gone quiet."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Reading:
    taken_at: float
    sensor: str = field(compare=False)
    value: float = field(compare=False)


class Board:
    """A window over the last `keep` seconds of every sensor."""

    def __init__(self, keep: float = 300.0, quiet_after: float = 60.0) -> None:
        if keep <= 0 or quiet_after <= 0:
            raise ValueError(f"keep and quiet_after must be positive, got {keep!r} and {quiet_after!r}")
        self._keep = keep
        self._quiet_after = quiet_after
        self._readings: list[Reading] = []
        self._newest: dict[str, Reading] = {}

    def add(self, readings: Iterable[Reading]) -> int:
        added = 0
        for reading in readings:
            known = self._newest.get(reading.sensor)
            if known is not None and known.taken_at >= reading.taken_at:
                continue  # late or repeated: the newest stays
            self._newest[reading.sensor] = reading
            heapq.heappush(self._readings, reading)
            added += 1
        return added

    def expire(self, now: float) -> Iterator[Reading]:
        while self._readings and self._readings[0].taken_at < now - self._keep:
            yield heapq.heappop(self._readings)

    def quiet(self, now: float) -> list[str]:
        return sorted(
            name for name, newest in self._newest.items() if now - newest.taken_at > self._quiet_after
        )

    def average(self, sensor: str) -> float | None:
        values = [reading.value for reading in self._readings if reading.sensor == sensor]
        return sum(values) / len(values) if values else None
'''

TYPESCRIPT = """\
import { readFile } from "node:fs/promises";
import type { Request, Response } from "./http";

export interface Invoice {
  id: string;
  customerId: string;
  lines: ReadonlyArray<InvoiceLine>;
  issuedAt?: Date;
}

export interface InvoiceLine {
  sku: string;
  quantity: number;
  unitPriceCents: number;
}

type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };

const TAX_RATES: Record<string, number> = { DE: 0.19, FR: 0.2, NL: 0.21 };

export function totalCents(invoice: Invoice, country: keyof typeof TAX_RATES): number {
  const net = invoice.lines.reduce((sum, line) => sum + line.quantity * line.unitPriceCents, 0);
  return Math.round(net * (1 + (TAX_RATES[country] ?? 0)));
}

export class InvoiceStore {
  private readonly cache = new Map<string, Invoice>();

  constructor(private readonly directory: string) {}

  async load(id: string): Promise<Result<Invoice>> {
    const cached = this.cache.get(id);
    if (cached !== undefined) {
      return { ok: true, value: cached };
    }
    try {
      const text = await readFile(`${this.directory}/${id}.json`, "utf8");
      const invoice = JSON.parse(text) as Invoice;
      this.cache.set(id, invoice);
      return { ok: true, value: invoice };
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
}

export async function handle(request: Request, response: Response, store: InvoiceStore): Promise<void> {
  const found = await store.load(request.params.id);
  if (!found.ok) {
    response.status(404).json({ message: found.error.message });
    return;
  }
  response.json({ ...found.value, totalCents: totalCents(found.value, "DE") });
}
"""

_ORDERS = [
    {
        "order_id": f"#W{7_120_431 + 977 * n}",
        "status": status,
        "created_at": f"2025-0{n + 1}-1{n}T0{n}:4{n}:17Z",
        "customer": {
            "id": f"cus_{n}f4e9{n}b27",
            "name": name,
            "email": f"{name.lower()}@example.org",
            "vip": n == 2,
        },
        "items": [
            {
                "sku": f"LMP-{n}401",
                "title": "Desk lamp, brass",
                "quantity": n + 1,
                "unit_price": 49.9,
                "gift": False,
            },
            {
                "sku": f"CBL-{n}020",
                "title": "Extension cable 3 m",
                "quantity": 2,
                "unit_price": 8.75,
                "gift": True,
            },
        ],
        "shipping": {
            "carrier": "northpost",
            "tracking": None,
            "address": {"city": city, "zip": f"10{n}17"},
        },
        "total": 67.4 + 49.9 * n,
    }
    for n, (status, name, city) in enumerate(
        [
            ("pending", "Ines", "Lisbon"),
            ("delivered", "Jonas", "Berlin"),
            ("cancelled", "Amara", "Lagos"),
        ]
    )
]
JSON_PRETTY = json.dumps(_ORDERS, indent=2)
JSON_COMPACT = json.dumps([*_ORDERS, *_ORDERS], separators=(",", ":"))

LOG = """\
[14:02:11] INFO  resolving dependencies (lockfile is up to date)
[14:02:13] INFO  compiling core/parser v0.8.2
[14:02:15] INFO  compiling core/planner v0.8.2
[14:02:19] WARN  core/planner/src/cost.c:218:17: unused variable 'estimate' [-Wunused-variable]
  218 |         double estimate = table_rows(node) * selectivity;
      |                ^~~~~~~~
[14:02:24] INFO  linking target/release/libplanner.so (2.41 MB)
[14:02:24] INFO  running 148 tests in 12 files
test parser::accepts_empty_input ... ok (0.003s)
test parser::rejects_unbalanced_quotes ... ok (0.004s)
test parser::keeps_comments ... ok (0.011s)
test planner::joins_are_reordered ... ok (0.126s)
test planner::limit_is_pushed_down ... FAILED (0.482s)
test planner::index_scan_is_preferred ... ok (0.078s)

failures:

---- planner::limit_is_pushed_down stdout ----
thread 'main' panicked at core/planner/tests/limits.rs:77:5:
assertion `left == right` failed: rows read
  left: 10000
 right: 50
stack backtrace:
   0: std::panicking::begin_panic_handler
             at ./library/std/src/panicking.rs:665:5
   1: core::panicking::panic_fmt
             at ./library/core/src/panicking.rs:74:14
   2: planner::tests::limit_is_pushed_down
             at ./tests/limits.rs:77:5
note: run with `BACKTRACE=full` for a verbose backtrace.

test result: FAILED. 147 passed; 1 failed; 0 ignored; finished in 6.31s
[14:02:31] ERROR task `test:core` exited with code 101
[14:02:31] INFO  retrying `test:core` (attempt 2 of 3)
[14:02:38] ERROR task `test:core` exited with code 101
[14:02:38] INFO  uploading artifacts to /var/cache/build/7f3a91c2/report.xml (38,211 bytes)
[14:02:39] ERROR build failed after 28.4s: 1 of 9 tasks did not succeed
"""

CHINESE = """\
清晨的渡口总是很安静。老周把小船系在木桩上，点起一支烟，看着江面上的雾一点一点散开。他在这里摆渡已经三十多年了，\
认识两岸的每一个人，也记得每一场大水。年轻人都到城里去了，坐船的人越来越少，可他还是每天五点起床，先检查缆绳，再\
把船舱里的水舀干净。

那天早上来了一个陌生的女人，背着很大的行李，问他能不能送她到对岸去。老周说可以，不过要等雾散。女人坐在石阶上，从\
包里拿出一本旧相册，一页一页地翻。老周看见其中一张照片，上面是这个渡口，只是那时候还没有桥，岸边站着一个穿蓝布衣\
服的男孩。他愣了一下，觉得那个男孩很像他自己。

“这是我父亲拍的，”女人说，“他以前在这里教过书。去年他走了，留下一封信，要我把照片还给照片里的人。可是他没有写\
名字，只写了渡口。”老周接过照片，手有些发抖。他想起那位老师，想起他借给自己的第一本书，想起那年夏天的洪水把学校\
冲走以后，老师就再也没有回来。

雾终于散了。船到江心的时候，老周停下桨，把照片放进胸前的口袋里，说：“你父亲教过我认字。我给他写过很多信，但是不\
知道该寄到哪里。”女人没有说话，只是看着水。过了很久，她才轻轻地说：“那些信，他都收到了。”

下面说明这个服务的部署方法。首先确认服务器上已经安装了数据库，并且版本不低于十四；然后把配置文件复制到指定的目录\
，修改其中的端口、用户名和密码。如果使用容器部署，请注意时区和字符集的设置，否则日志里的时间会和监控系统对不上。\
启动之后可以访问健康检查接口，返回正常就表示服务已经可以接收请求。升级的时候先备份数据，再停止旧的进程，最后执行\
迁移脚本。迁移失败时脚本会自动回滚，不会留下只改了一半的表结构。

常见问题有三个。第一，连接池太小会导致请求排队，表现为响应时间突然变长，但是处理器的使用率并不高，这时应当先查看\
等待连接的数量，再决定是否调大上限。第二，缓存没有设置过期时间，内存会慢慢涨上去，几天之后进程被系统杀掉，重启以\
后又恢复正常，所以很多人误以为是偶然的故障。第三，有些同事喜欢在高峰期直接修改线上配置，这样做风险很大，一旦写错\
就会影响所有用户。我们的约定是：任何改动都要先在测试环境验证，由另一个人复核，然后在流量最低的时段发布，并且保留\
至少一周的回滚方案。

会议纪要：本周讨论了搜索功能的改进方案。产品经理认为目前的结果排序不够准确，用户经常要翻到第三页才能找到想要的内\
容；研发同学解释说，主要原因是分词词典太旧，新出现的品牌和型号都没有收录。大家同意分两步走，先更新词典并重建索引\
，再引入点击数据调整权重。第一步由小李负责，下周三之前完成；第二步需要和数据团队协商，时间另定。另外，客服反映最\
近关于退款的投诉明显增加，请支付组尽快排查原因，周五之前给出书面说明。散会前主管提醒各位，季度总结的截止日期是月\
底，不要再拖延了。

给新同事的一封信。欢迎加入我们。你来的第一周不会有人催你写代码，请先把文档读一遍，把系统跑起来，遇到看不懂的地方\
就记下来，因为你现在看到的困惑，恰恰是我们早已习惯而忽略的问题。代码仓库里有一个目录叫“旧事”，里面记录了过去几\
年发生过的事故：哪一天停了电，哪一次删错了表，又是谁在半夜把它救了回来。写这些不是为了追究责任，而是希望后来的人\
少走弯路。等你熟悉了环境，可以挑一个小任务开始，例如修正一处错误的提示，或者给没有测试的函数补上测试。提交之前请\
自己先看一遍，想一想：如果三个月以后由别人来改这段程序，他能不能明白你为什么这样写。遇到困难不要一个人扛着，超过\
半天没有进展就说出来，大家一起看，往往十分钟就能解决。最后，记得按时吃饭，天气好的时候下楼走走，看看江边的树。
"""

KINDS = {
    "prose": PROSE,
    "python": PYTHON,
    "typescript": TYPESCRIPT,
    "json, pretty": JSON_PRETTY,
    "json, compact": JSON_COMPACT,
    "log": LOG,
    "chinese": CHINESE,
}
