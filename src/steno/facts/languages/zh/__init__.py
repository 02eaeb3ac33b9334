"""Every cue of Chinese, put together."""

from steno.core.words import words_of
from steno.facts.languages.cues import (
    DecisionCues,
    DoubtCues,
    LanguageCues,
    MemoryCues,
    OrderCues,
    RequestCues,
    StemmedCue,
    StepCues,
    TextCues,
    TodoCues,
    TopicCues,
    TraitCues,
    any_of,
    pattern,
)
from steno.facts.languages.phrases import Phrases
from steno.facts.languages.zh.changes import AMENDS, CHANGES
from steno.facts.languages.zh.relays import RELAYS
from steno.facts.languages.zh.rules import LANGUAGE, RULES

CHINESE = LanguageCues(
    name="Chinese",
    words=pattern(r"[\u4e00-\u9fff]"),
    empty=words_of(
        "那条 这条 现在 可以 不要 以后 所有 必须 任何 之前 从现 在开 开始 务必 禁止 允许 不允 "
        "关于 规定 忘掉 不用 用再 请勿"
    ),
    statements=Phrases(
        r"希望|更喜欢|必须|不要|不能|禁止|总是|只能|只用|最多|不超过|从现在起|预算|截止|负责人"
        r"|下一步|待定|等待|目前|当前任务"
    ),
    rules=RULES,
    changes=CHANGES,
    relays=RELAYS,
    amends=AMENDS,
    unspaced=True,
    question_ends=("吗", "呢"),
    small_words=frozenset(),
    topics=TopicCues(
        code="注释|文档", length="简短|简洁|详细|字", answers="回答|回复", languages=LANGUAGE
    ),
    text=TextCues(
        documents="文章|文本|邮件|日志|报错|错误|输出|代码|文档|反馈|评论|计划|内容|信息|段落|如下",
        logs="日志|报错|错误|输出|代码",
    ),
    todos=TodoCues(finished="已?完成", unfinished="进行中|待办"),
    requests=RequestCues(
        denies="不对|不是|错|等等|为什么|撤销",
        complains="还是(?:不行|报错|失败|不对|一样|有问题)|(?<!用)不行[。！]?$|没用|没有?(?:修好"
        "|解决)|同样的错误|看不到|没看到|坏了|失败了",
        asks="请|帮我|能不能|可以.{0,6}吗|我想|我要|需要|麻烦",
        go="好的?|可以|继续|是的?|行|对|嗯|没问题",
        nod="好的?|对|嗯|是的?",
        off="停(?:下|止|一下)?|住手|算了|不用了|没事了|别管了|当我没说",
        thanks="谢谢|感谢|太好了|很好",
        thanking="谢|感谢",
    ),
    doubts=DoubtCues(
        correction=StemmedCue(
            stems="错|误|你说得对|我忘了|我漏了|更正",
            phrases="我(?:弄|搞)?错了|我的错|抱歉.{0,4}[错误]|你说得对|我忘了|我漏了|更正",
        ),
        reconsideration=StemmedCue(
            stems="等|不对|其实|再想想|重新考虑|换个思路",
            phrases="(?:等等|等一下|不对)[，,。！!…]|其实[，,]|再想想|重新考虑|换个思路",
        ),
        uncertainty=StemmedCue(
            stems="不确定|不太确定|不清楚|不知道|说不准",
            phrases="不(?:太)?确定|不清楚|我不知道|说不准",
        ),
        verification=StemmedCue(
            stems="再确认|再检查|核实|确认一下|验证一下",
            phrases="再确认|再检查一[下遍]|核实一?下|确认一下|验证一下",
        ),
        hedge=StemmedCue(
            stems="我觉得|我认为|我猜|我估计|可能是|也许|大概|或许|应该是|似乎|好像|看起来",
            phrases="我(?:觉得|认为|猜|估计)|可能是|也许|大概|或许|应该是|似乎|好像|看起来",
        ),
    ),
    decisions=DecisionCues(
        firm=StemmedCue(
            stems="决定|采用|改用|我们",
            phrases="(?:我们|我)?(?:决定|最终采用|改用)|我们(?:会|将|就)?(?:用|使用|选择?|采用)",
        ),
        of_a_person=StemmedCue(stems="倾向|喜欢|就用", phrases="我(?:更)?(?:倾向|喜欢)|就用"),
        with_reason=StemmedCue(
            stems="因为|由于|以便|为了|避免|而不是|代替", phrases="我(?:会|将)?(?:使用|用|保留)"
        ),
        reason="因为|由于|以便|为了|避免",
        instead="而不是|代替",
        undecided_after="如果|是否",
        undecided="还没决定",
        concludes=("所以",),
        causes=StemmedCue(
            stems="原因|因为|由于|问题出在",
            phrases="(?:根本)?原因(?:是|在于|：)|问题出在|(?:失败|报错|崩溃"
            "|出错)[^。？]{0,20}(?:是因为|由于)",
        ),
        options="方案|选项|选择?第?",
        concluding=Phrases(
            *("因为", "所以", "因此", "原因", "问题是", "建议", "决定", "选择"),
            *("方案", "应该", "必须", "不要", "只能", "改为", "删除", "修复"),
        ),
    ),
    steps=StepCues(
        done=r"(?:好的?[，。！])?(?:(?:已经?|全部|都)?(?:完成|搞定|修复|修好|改好|提交|推送|合并"
        r"|添加|更新|实现|删除|解决)(?:了|完毕|好了|成功)|已(?:经)?(?:成功)?(?:完成|修复|添加|更新"
        r"|实现|提交|推送|删除|解决|创建|修改)|所有[^。！？\n]{0,10}(?:通过|完成))",
        undone="尚未|还没|未能|没能|无法|失败|部分|剩[下余]|还需|仍|除了|但是|不过|待办|报错"
        "|需要你|遗憾",
        heading=StemmedCue(
            stems="下一步|接下来|待办|剩余|还需要|尚未",
            phrases="下一步|接下来|待办(?:事项)?|剩余(?:任务|工作)?|还需要做?|尚未完成",
        ),
        announced=StemmedCue(
            stems="接下来|下一步|之后|还",
            phrases="接下来我?(?:会|将|要)|下一步我?(?:会|将|要)|之后我(?:会|将)|还(?:需要|得"
            "|要)(?:再)?",
        ),
        doing="(?:现在|接下来|首先|好的)?[，,]?(?:让我|我来|我将|我先|我需要)",
        looking="看|查|读|检查|搜索|运行|测试|打开",
        promised=StemmedCue(
            stems="不会再|以后|今后|从现在起",
            phrases="我不会再|(?:以后|今后|从现在起)我?(?:会|将|不会|不再|都)",
        ),
    ),
    orders=OrderCues(
        duties="必须|应该|应当|不得|禁止|允许|总是|永远|从不|一律|每个人|所有人|无需(?:询问|确认"
        "|批准)",
        orders=any_of(
            "(?:忽略|无视|忘记)(?:之前|以上|所有|上述|前面|先前|一切)|你(?:必须|应该|应当|不得"
            "|需要)|(?:助手|模型)(?:必须|应该|应当)",
            "从现在(?:起|开始)|务必|切勿|必须|应当立即|需要立即",
        ),
        for_a_person="用户|客户",
        verbs="(?:请|立即|马上|立刻)|(?:删除|执行|发送|运行|安装|上传|下载|清空|关闭|停止|打开|移除"
        "|转账|公开)(?!了|过|成功|失败|后|的|命令已)",
    ),
    traits=TraitCues(
        name="我(?:叫|的名字(?:是|叫))|(?:请)?叫我",
        self="我(?:住在|来自|是(?:一名|一个|个))|我在.{1,12}工作",
        self_place="住|工作",
        owned="我(?:们)?的(?P<mine_zh>[^，。？！,.?!是]{1,12})是",
        passing_things=words_of("问题 意思 想法 目标"),
        use="我们(?:现在)?(?:用|使用|采用)的?是?|(?:这个|本)?项目(?:用|使用)的?是?",
        remember="(?:请|要)?记住[：:，,]?|请记得",
        forget="(?:请)?(?:忘记|忘掉)|我们不再(?:用|使用)",
        unsure_after="如果|假如",
        copula="在|是",
        life=any_of(
            "我(?:平时|通常|一般|经常|总是|从不|很少)",
            "我(?:很|非常|最|也|不)?(?:喜欢|爱吃|讨厌)(?!这个|这种|你|那个)",
            r"我(?:对\w{1,8}过敏|是素食|结婚了|怀孕了)",
            "我(?:有|养了)[一两三几]?[只条个]?(?:猫|狗|孩子|儿子|女儿|哥哥|姐姐|弟弟|妹妹)",
            r"我(?:老婆|妻子|丈夫|老公|儿子|女儿|妈妈|爸爸|父母|哥哥|姐姐|弟弟|妹妹|朋友)\w{0,6}"
            "(?:是|有|叫|喜欢|住|在)",
            r"我(?:一直|平时|都)?用\s?[A-Za-z](?!.*(?:了|报错|失败))",
            r"我在\w{1,8}(?:当|做)(?!了)",
            r"我每(?:天|周|个?月|年)\w{0,10}(?:去|起床|跑|练|吃|喝|睡|学|做|看|挣|赚)",
            r"我不(?:吃|喝|抽)\w|我(?:今年)?\d+岁",
        ),
        taste="我(?:很|非常|最|也|不)?(?:喜欢|爱吃|讨厌)",
        events=r"\w{0,8}我们?(?!\w*(?:文件|代码|函数|服务器|数据库))\w{0,6}"
        "(?:买|去|参加|领养|搬|看|跑|认识|卖|赢)(?:了|到)",
        reasons="因为|由于",
        when="昨天|今天|前天|上周|上个月|去年|最近|[0-9]月"
        "|[一二三四五六七八九十两几]个?[天周月年]前|每[天周月年]",
    ),
    memory=MemoryCues(task_bound="这(?:个|次|里|份)|今天|暂时|本次"),
)
