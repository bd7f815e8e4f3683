"""What the practices can be: the editors, the chats, the days at home … that the rules know by name."""

from verifflowcc.lifecycle.extract.practice import Value, values_named

IDE = values_named(
    (r"n?vim|neovim", "Vim"),
    (r"emacs|spacemacs", "Emacs"),
    (r"vs ?code|visual studio code", "VSCode"),
    (r"pycharm", "PyCharm"),
    (r"intellij(?: idea)?", "IntelliJ"),
    (r"sublime(?: text)?", "Sublime Text"),
    (r"eclipse", "Eclipse"),
    (r"xcode", "Xcode"),
    (r"webstorm", "WebStorm"),
    (r"notepad\+\+", "Notepad++"),
    (r"spyder", "Spyder"),
    (r"jupyter(?:lab| notebooks?)?", "Jupyter"),
    (r"(?-i:Cursor|Zed|Helix|Nano)", "Cursor"),
)
CALLS = (
    *values_named(
        (r"zoom", "Zoom"),
        (r"google meet", "Google Meet"),
        (r"skype", "Skype"),
        (r"webex", "Webex"),
        (r"jitsi", "Jitsi"),
    ),
    Value(r"(?:microsoft |ms )?teams", "microsoft-teams", alone=False, label="Microsoft Teams"),
    Value(r"slack huddles?", "slack", label="Slack huddles"),
)
CHAT = (
    *values_named(
        (r"slack", "Slack"),
        (r"discord", "Discord"),
        (r"mattermost", "Mattermost"),
        (r"(?:ms|microsoft) teams", "Microsoft Teams"),
        (r"rocket\.?chat", "Rocket.Chat"),
        (r"telegram", "Telegram"),
        (r"whatsapp", "WhatsApp"),
    ),
    Value(r"(?-i:Teams)", "microsoft-teams", alone=False, label="Microsoft Teams"),
    Value(r"e-?mails?", "email", alone=False, label="e-mail"),
)
HOST = values_named(
    (r"github(?! copilot)", "GitHub"),
    (r"gitlab", "GitLab"),
    (r"bitbucket", "Bitbucket"),
    (r"gitea|codeberg|forgejo", "Forgejo"),
    (r"(?-i:Azure) devops", "Azure DevOps"),
)
COPILOT = values_named(
    (r"(?:github )?copilot", "GitHub Copilot"),
    (r"tab ?nine", "TabNine"),
    (r"code ?whisperer", "CodeWhisperer"),
    (r"codestral", "Codestral"),
    (r"codeium", "Codeium"),
    (r"cody", "Cody"),
    (r"claude code", "Claude Code"),
    (r"(?-i:Codex)(?: CLI)?", "Codex"),
)
TRACKER = (
    *values_named(
        (r"trello", "Trello"),
        (r"asana", "Asana"),
        (r"jira", "Jira"),
        (r"monday\.com", "Monday"),
        (r"clickup", "ClickUp"),
        (r"basecamp", "Basecamp"),
        (r"youtrack", "YouTrack"),
    ),
    Value(r"(?-i:Monday)", "monday", alone=False, label="Monday"),
    Value(r"(?-i:Linear)", "linear", alone=False, label="Linear"),
    Value(r"(?-i:Notion)", "notion", alone=False, label="Notion"),
)
COMPUTER = (
    *values_named(
        (r"mac ?books?(?: pro| air)?", "MacBook"),
        (r"windows[- ](?:laptops?|machines?|computers?|pcs?|desktops?|based laptops?)", "Windows laptop"),
        (r"linux[- ](?:desktops?|laptops?|machines?|computers?|workstations?|based desktops?)", "Linux desktop"),
        (r"chromebooks?", "Chromebook"),
    ),
    Value(r"(?-i:Mac)s?|(?-i:macOS)", "macbook", alone=False, label="MacBook"),
    Value(r"windows", "windows-laptop", alone=False, label="Windows laptop"),
    Value(r"linux", "linux-desktop", alone=False, label="Linux desktop"),
)
NUM = (
    r"(?P<n>\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|a hundred)"
)
TIMES = r"(?:times?|days?)(?: (?:a|per|each|every) week| weekly|)"
HOME = (
    Value(
        rf"(?:(?:at most|no more than|up to|maximum(?: of)?|limit\w*[^.]{{0,30}}?(?:to)?|only|"
        rf"not more than|a maximum of)\s+)*{NUM}\s+{TIMES}",
        "at-most:{n}",
        alone=False,
        label="at most {n} times a week",
    ),
    Value(
        r"(?:(?:at most|no more than|up to|only)\s+)?once(?: (?:a|per|each|every) week| weekly)?|(?:one|a single) day",
        "at-most:1",
        alone=False,
        label="at most 1 time a week",
    ),
    Value(
        r"(?:(?:at most|no more than|up to|only)\s+)?twice(?: (?:a|per|each|every) week| weekly)?",
        "at-most:2",
        alone=False,
        label="at most 2 times a week",
    ),
)
VACATION = (
    Value(r"half", "at-least:half", alone=False, label="at least half of"),
    Value(
        rf"(?:at least |a minimum of |minimum )?{NUM} (?:vacation |consecutive )?days?",
        "at-least:{n}-days",
        alone=False,
        label="at least {n} days of",
    ),
    Value(r"(?:at least )?a (?:full )?week", "at-least:7-days", alone=False, label="at least 7 days of"),
    Value(
        r"all(?: of)?(?: (?:your|the|their|our|allotted|allocated|available))*|every single|full",
        "all",
        alone=False,
        label="all",
    ),
)
ORDINAL = r"(?:ground|top|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th))"
PLACES = (
    Value(
        r"(?:(?:dedicated|assigned|designated|quiet) )?(?:office(?: space)?|workspace|work ?space|desks?|"
        rf"area|space|room)s? on the (?P<n>{ORDINAL}) floor|(?P<m>{ORDINAL})[- ]floor(?: office)?",
        "office:{n}-floor",
        label="the dedicated office on the {n} floor",
    ),
    Value(r"common (?:area|room|space)s?", "common-area", label="the common area"),
    Value(r"(?-i:IT) room", "it-room", label="the IT room"),
    Value(
        r"(?:open[- ]plan )?(?P<n>meeting room|library|lounge|lab|cafeteria|quiet room|coworking space)",
        "{n}",
        alone=False,
        label="the {n}",
    ),
)
TEAM = r"(?:the |your |our )?(?:team(?:mates?)?|rest of the team|team members|colleagues|co-?workers|others)"
CONTACT = (
    Value(
        r"when(?:ever)? they (?:ask|reach out|contact|approach)|only (?:when|if|with|"
        r"as)[^.,;]{0,40}?(?:asked|requested|prompted|approached|spoken)|unless[^.,;]{0,30}?(?:asked|"
        r"requested|prompted)|when (?:specifically |explicitly |directly )?asked",
        "only-when-asked",
        alone=False,
        label="only when asked",
    ),
    Value(
        r"only[^.,;]{0,30}?(?:when|if|as|with)?[^.,;]{0,30}?(?:necessary|needed|required|essential|"
        r"crucial|critical|urgent)|essential communications?|(?:limit|minimi[sz]e|reduce|cut back)\w*|"
        r"when (?:absolutely |strictly |truly |it's )?necessary|unless (?:absolutely |it's )?necessary",
        "only-when-necessary",
        alone=False,
        label="only when necessary",
    ),
    Value(
        r"regular(?:ly)?|frequent(?:ly)?|often|consistent(?:ly)?|daily|constant(?:ly)?|open|ongoing|proactive(?:ly)?",
        "regularly",
        alone=False,
        label="regularly",
    ),
)
MONITORS = (
    Value(
        r"(?:three|3)(?: or more|\+)?|(?:triple|multiple|several)",
        "three-or-more",
        alone=False,
        label="three or more monitors",
    ),
    Value(r"two|2|dual|a second|an additional|double", "two", alone=False, label="two monitors"),
    Value(r"(?:a |one |only (?:a |one )?)?single|one|1", "one", alone=False, label="only one monitor"),
)
PHONE = (
    Value(
        r"(?:personal|own|private) (?:cell ?|mobile ?|smart ?)?(?:tele)?phones?", "personal", label="the personal phone"
    ),
    Value(
        r"(?:company|work|business|corporate)(?:[- ](?:issued|provided|owned))? (?:cell ?|mobile ?|"
        r"smart ?)?(?:tele)?phones?",
        "company",
        label="the company phone",
    ),
)
BREAK = (
    Value(
        rf"every {NUM}(?:[- ](?:or so ))?[- ]min(?:ute)?s?|"
        rf"{NUM.replace('<n>', '<m>')}[- ]minute intervals?|timer for {NUM.replace('<n>', '<o>')} minutes?",
        "every:{n}-minutes",
        alone=False,
        label="every {n} minutes",
    ),
    Value(r"every hour|hourly|once an hour", "every:60-minutes", alone=False, label="every 60 minutes"),
)
TRAIN = values_named(
    (r"GPUs?|graphics (?:cards?|processing units?)", "GPUs"),
    (r"TPUs?|tensor processing units?", "TPUs"),
    (r"CPUs?", "CPUs"),
)
