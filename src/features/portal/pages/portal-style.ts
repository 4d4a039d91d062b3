/**
 * How the developer's pages look: the console's colours, by the system's theme, from 320 pixels on,
 * in either direction of writing.
 */
export const style = `:root{color-scheme:light dark;
--paper:light-dark(#fcfcfd,#0d0e12);--panel:light-dark(#fff,#15171c);--sunken:light-dark(#f3f4f6,#1d2027);
--line:light-dark(#e6e8ec,#272b33);--edge:light-dark(#868d99,#6f7785);--ink:light-dark(#14171c,#eceef2);
--ink-2:light-dark(#4c5563,#b4bac5);--ink-3:light-dark(#5f6878,#979eab);--accent:light-dark(#4150d6,#5563ee);
--link:light-dark(#3b49c8,#98a3ff);--ring:light-dark(#4150d6,#98a3ff);
--wait:light-dark(#8a5200,#f0b04c);--wait-paper:light-dark(#fff4de,#33270f);
--good:light-dark(#166c3b,#5fd693);--good-paper:light-dark(#e4f6ea,#10331f);
--bad:light-dark(#b3261b,#ff9188);--bad-paper:light-dark(#fdeceb,#3f1815);--quiet-paper:light-dark(#eef0f3,#23272f);
--sans:Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
--mono:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}[hidden]{display:none!important}
*{box-sizing:border-box}
body{margin:0;min-block-size:100dvh;display:flex;flex-direction:column;background:var(--paper);color:var(--ink);font:400 15px/1.5 var(--sans);overflow-wrap:anywhere;hyphens:manual}
header{background:var(--panel);border-block-end:1px solid var(--line)}
.wide{inline-size:min(1160px,100% - 32px);margin-inline:auto}
header .wide{display:flex;flex-wrap:wrap;align-items:center;gap:0 28px;min-block-size:60px}
.brand{display:flex;align-items:center;gap:10px;padding-block:8px;font-weight:600;color:var(--ink);text-decoration:none;line-height:1.25}
.brand small{display:block;font-weight:400;font-size:12.5px;color:var(--ink-3)}
.brand img,.brand svg{inline-size:30px;block-size:30px;border-radius:7px;flex:none}
.brand rect{fill:var(--accent)}.brand text{fill:#fff;font-weight:700;font-size:12.5px;text-anchor:middle}
nav ul{display:flex;gap:4px;list-style:none;margin:0;padding:0}
nav a{display:flex;align-items:center;gap:7px;min-block-size:60px;padding-inline:10px;color:var(--ink-2);text-decoration:none;font-weight:500;border-block-end:2px solid transparent}
nav a[aria-current]{color:var(--ink);border-color:var(--accent)}nav a:hover{color:var(--ink)}
.icon{display:none;inline-size:20px;block-size:20px;fill:none;stroke:currentcolor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}.me{margin-inline-start:auto}.count{font-size:12px;padding:1px 7px;border-radius:9px;background:var(--quiet-paper);color:var(--ink-2)}
.count.act{background:var(--wait-paper);color:var(--wait)}
main{flex:1;padding-block:22px 48px}main.narrow{inline-size:min(408px,100% - 32px);margin-inline:auto;padding-block-start:clamp(16px,9vh,90px)}
h1{font-size:24px;line-height:1.25;letter-spacing:-.015em;margin:0 0 6px}h2{font-size:16px;line-height:1.35;margin:0 0 6px}h3{font-size:15px;margin:0 0 4px}
p{margin:0 0 12px}.lead,.quiet{color:var(--ink-2)}.note{color:var(--ink-3);font-size:13px}
a{color:var(--link)}p>a:only-child{display:inline-block;min-block-size:24px}.card{background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:18px 20px;margin-block-end:14px}
.narrow .card{padding:26px;box-shadow:0 12px 32px light-dark(#10182829,#0009)}
.head{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between;margin-block-end:14px}
.row{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between}
.row+.row,.list>li+li{border-block-start:1px solid var(--line);margin-block-start:12px;padding-block-start:12px}
.search{margin-block-end:14px}.row>input{margin:0}h1+.card{margin-block-start:14px}.card>:last-child{margin-block-end:0}details+details{border-block-start:1px solid var(--line);margin-block-start:8px;padding-block-start:6px}input[type=date]{max-inline-size:240px}
.list{list-style:none;margin:0;padding:0}.grow{flex:1 1 220px;min-inline-size:0}
label{display:block;font-weight:500;font-size:13.5px;margin-block-end:4px}label small{font-weight:400;color:var(--ink-3)}
input,textarea,select{inline-size:100%;min-block-size:44px;padding:9px 12px;border:1px solid var(--edge);border-radius:8px;background:var(--panel);color:var(--ink);font:inherit;margin-block-end:14px}
textarea{min-block-size:96px}.digits{font:600 24px/1.3 var(--mono);letter-spacing:.4em;text-align:center;direction:ltr}
button,.button{display:inline-flex;align-items:center;justify-content:center;min-block-size:44px;padding:8px 16px;border:1px solid var(--edge);border-radius:8px;background:var(--panel);color:var(--ink);font:500 15px/1.3 var(--sans);cursor:pointer;text-decoration:none}
button.main,.button.main{background:var(--accent);border-color:transparent;color:#fff}.narrow button.main{inline-size:100%}
button:hover,.button:hover{border-color:var(--ink-3)}button.text{border-color:transparent;background:none;color:var(--ink-2)}
:focus-visible{outline:2px solid var(--ring);outline-offset:2px}
.pill{display:inline-flex;align-items:center;gap:6px;padding:2px 10px;border-radius:10px;font-size:13px;font-weight:500;background:var(--quiet-paper);color:var(--ink-2)}
.pill::before{content:"";inline-size:6px;block-size:6px;border-radius:50%;background:currentcolor}
.good{background:var(--good-paper);color:var(--good)}.wait{background:var(--wait-paper);color:var(--wait)}.bad{background:var(--bad-paper);color:var(--bad)}
.seen{background:var(--wait-paper);color:var(--wait);padding-block:6px}.seen p{margin:0}fieldset{border:0;margin:0;padding:0;min-inline-size:0}
.said{border-radius:8px;padding:10px 14px;margin-block-end:14px}
blockquote{margin:0 0 10px;padding-inline-start:14px;border-inline-start:3px solid var(--line)}blockquote,.lines{white-space:pre-line}
code,pre,.ltr{font-family:var(--mono);font-size:13.5px;direction:ltr;unicode-bidi:isolate}pre{overflow-x:auto;background:var(--sunken);padding:12px;border-radius:8px}
dl{margin:0 0 12px;display:grid;grid-template-columns:minmax(96px,max-content) 1fr;gap:6px 18px;align-items:baseline}dt{color:var(--ink-3)}dd{margin:0;min-inline-size:0}
table{border-collapse:collapse;inline-size:100%}th,td{text-align:start;padding:7px 10px 7px 0;border-block-start:1px solid var(--line);vertical-align:top;font-weight:400}thead th{border:0;color:var(--ink-3);font-size:13px}
.bar{display:block;inline-size:100%;block-size:8px;border-radius:4px;background:var(--sunken);border:1px solid var(--edge)}.bar rect{fill:var(--accent)}.bar.full rect{fill:var(--wait)}
.chart{display:block;inline-size:100%;block-size:110px;border-block-end:1px solid var(--edge)}.chart rect{fill:var(--good);opacity:.75}.chart .refused{fill:var(--wait);opacity:1}.chart .today rect{opacity:.45}.ends{display:flex;justify-content:space-between;direction:ltr}
.two{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr);gap:0 16px}label.check{display:flex;gap:8px;align-items:center;font-weight:400;min-block-size:44px}input[type=checkbox]{inline-size:20px;min-block-size:20px;margin:0}
.said.quiet{background:var(--quiet-paper)}
[dir=rtl] .bar{transform:scaleX(-1)}
.markdown img{max-inline-size:100%}.markdown>:last-child{margin-block-end:0}.plans{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(240px,100%),1fr));gap:14px}
footer{border-block-start:1px solid var(--line);padding-block:14px;color:var(--ink-3);font-size:13px}footer .wide{display:flex;flex-wrap:wrap;gap:8px 20px;align-items:center;justify-content:space-between}
footer form{display:flex;flex-wrap:wrap;gap:8px;align-items:center}footer select{inline-size:auto;margin:0}footer label{margin:0}
.skip{inset-inline-start:8px;inset-block-start:8px;background:var(--panel);z-index:1}.skip:focus{padding:10px}
summary{padding-block:6px}caption{text-align:start;font-weight:600;padding-block:10px 4px}.must{color:var(--wait);font-size:13px}
.tabs ul{list-style:none;display:flex;flex-wrap:wrap;gap:0 22px;margin:0 0 18px;padding:0;border-block-end:1px solid var(--line)}.tabs a{display:block;padding-block:11px;color:var(--ink-2);text-decoration:none}.tabs a[aria-current]{color:var(--ink);font-weight:500;box-shadow:inset 0 -2px var(--accent)}
.operation+.operation{border-block-start:1px solid var(--line)}.operation summary{padding-block:11px}.method{font-weight:600;color:var(--good)}td p,th p{margin:0}
main>section+section{margin-block-start:26px}.compare th[scope=row]{font-weight:600}.compare td,.compare th{padding-inline-end:16px;overflow-wrap:break-word}.compare .button{white-space:nowrap}.standing{flex:0 0 136px;text-align:end}form[data-try]{margin-block-start:14px}.markdown{margin-block-end:12px}
.unseen{position:absolute;white-space:nowrap}.unseen:not(:focus){inline-size:1px;block-size:1px;overflow:clip;clip-path:inset(50%)}
@media (max-width:640px){.two{grid-template-columns:minmax(0,1fr)}nav.main{order:3;inline-size:100%}nav.main a{min-block-size:44px}.card{padding:14px}.narrow .card{padding:20px}dl{grid-template-columns:1fr;gap:0}dd{margin-block-end:8px}.standing{flex:none;text-align:start}}
@media (max-width:900px){.compare thead{position:absolute;clip-path:inset(50%)}.compare tr,.compare td,.compare th{display:block}.compare td{border:0;padding-block:3px}.compare td[data-of]::before{content:attr(data-of)": ";color:var(--ink-3)}.compare td:empty{display:none}.compare tr+tr{margin-block-start:12px}}
@media (max-width:640px) and (min-height:480px){nav.main{position:fixed;inset-block-end:0;inset-inline:0;inline-size:auto;z-index:2;padding:6px 8px;background:var(--panel);border-block-start:1px solid var(--line)}
nav.main ul{display:grid;grid-template-columns:repeat(3,minmax(0,1fr))}nav.main a{position:relative;flex-direction:column;justify-content:center;gap:1px;min-block-size:50px;padding-inline:2px;border:0;border-radius:10px;font-size:13px;line-height:1.3;text-align:center}
nav.main a[aria-current]{background:var(--sunken)}nav.main .icon{display:block}nav.main .count{position:absolute;inset-block-start:2px;inset-inline-start:calc(50% + 8px);font-size:11px;line-height:1.4;padding-inline:6px}
html:has(nav.main){scroll-padding-block-end:84px}body:has(nav.main){padding-block-end:63px}form[data-draft] button.main{position:sticky;inset-block-end:75px;inline-size:100%}}
@media (prefers-reduced-motion:no-preference){button,.button,a{transition:border-color .12s,color .12s}}
`;
