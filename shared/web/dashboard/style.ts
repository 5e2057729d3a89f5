/**
 * Defines the stylesheet of the dashboard, in the look of the payment page.
 * - All colors are variables, so each color scheme is one set. The mode sets the color of the bar above the page.
 * - No selector or value depends on a line break, because all line breaks are removed.
 */

const source = `
:root{color-scheme:light dark;
--page:#f3f4f1;--card:#fff;--panel:#fafaf8;--ink:#181d1b;--soft:#59625e;--line:#e3e6e2;--edge:#838c87;
--accent:#0b6956;--press:#084f41;--on-accent:#fff;--tint:#e4f2ee;
--bad:#a8201a;--bad-tint:#fdf0ee;--warn:#6a4700;--warn-tint:#fff3d3;--shadow:0 1px 2px #0a1f1a0d}
@media screen and (prefers-color-scheme:dark){:root{
--page:#0e1211;--card:#171c1a;--panel:#1b211f;--ink:#eceeec;--soft:#a3ada8;--line:#2b3330;--edge:#74807a;
--accent:#5fd0b3;--press:#86e0c8;--on-accent:#06231c;--tint:#153a31;
--bad:#ff9d92;--bad-tint:#3a1c19;--warn:#ffd884;--warn-tint:#3a2d0d;--shadow:0 0 0 1px #ffffff0a}}
*{box-sizing:border-box}
body,h1,h2,h3,p,dl,dd,ul,ol,figure,fieldset{margin:0;padding:0}
body{min-height:100vh;min-height:100dvh;background:var(--page);color:var(--ink);
font:.9375rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
a{color:var(--accent);text-underline-offset:.2em}
a:hover{color:var(--press)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:.5rem;top:.5rem;z-index:1;padding:.5rem 1rem;background:var(--card)}
.top{background:var(--card);border-bottom:1px solid var(--line)}
.mode{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.125rem 1rem;padding:.375rem 1rem;font-size:.875rem}
.mode.test{background:var(--warn-tint);color:var(--warn)}
.mode.live{background:var(--accent);color:var(--on-accent)}
.mode a{color:inherit;padding:.125rem 0}
.bar{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem 1.5rem;padding:.625rem 1rem;max-width:72rem;margin:0 auto}
.brand{font-weight:650;font-size:1.0625rem;color:var(--ink);text-decoration:none}
.brand small{display:block;font-weight:500;font-size:.8125rem;color:var(--soft)}
.user{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem;font-size:.875rem;color:var(--soft)}
.user form{display:contents}
.find{display:flex;gap:.5rem;flex:1 1 14rem;max-width:26rem}
.find input{flex:1;min-width:0}
nav.sections{max-width:72rem;margin:0 auto;padding:0 .5rem;overflow-x:auto}
nav.sections ul{display:flex;list-style:none}
nav.sections a{display:block;padding:.625rem .625rem;color:var(--soft);text-decoration:none;white-space:nowrap;border-bottom:3px solid transparent}
nav.sections a:hover{color:var(--ink)}
nav.sections [aria-current]{color:var(--ink);font-weight:600;border-color:var(--accent)}
main{width:100%;max-width:72rem;margin:0 auto;padding:1.25rem 1rem 3rem;display:grid;gap:1.25rem;grid-template-columns:minmax(0,1fr)}
main.narrow{max-width:34rem;padding-top:clamp(1rem,8vh,5rem)}
.heading{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem 1rem}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;font-weight:650}
h2{font-size:1.125rem;line-height:1.3;letter-spacing:-.01em;font-weight:650}
h3{font-size:1rem;font-weight:600}
.card{background:var(--card);box-shadow:var(--shadow);border:1px solid var(--line);border-radius:.875rem;padding:1.25rem;display:grid;gap:1rem;grid-template-columns:minmax(0,1fr)}
.cards{display:grid;gap:1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr))}
.scroll{overflow-x:auto}
.card>.scroll{margin:0 -1.25rem;padding:0 1.25rem}
table{border-collapse:collapse;width:100%;font-size:.875rem;overflow-wrap:break-word}
table time{white-space:nowrap}
caption{text-align:left;color:var(--soft);padding-bottom:.5rem}
th{font-weight:550;text-align:left;color:var(--soft);white-space:nowrap}
th,td{padding:.5rem .75rem .5rem 0;vertical-align:top;border-top:1px solid var(--line);min-width:5rem}
thead th{border-top:0}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.number,th.number{padding-right:1.5rem}
td form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
dl>div{display:flex;gap:1rem;padding:.375rem 0}
dt{flex:0 0 9rem;color:var(--soft)}
dd{flex:1;min-width:0}
.id,code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em;font-variant-ligatures:none}
pre{margin:0;padding:.75rem;overflow:auto;background:var(--panel);border:1px solid var(--line);border-radius:.625rem}
.text{white-space:pre-wrap;unicode-bidi:plaintext}
.soft,.hint,.note{color:var(--soft)}
.hint,.note{font-size:.875rem}
.badge{display:inline-block;padding:0 .5rem;border-radius:1rem;font-size:.8125rem;font-weight:600;white-space:nowrap;background:var(--panel);color:var(--soft);box-shadow:inset 0 0 0 1px var(--line)}
.badge.good{background:var(--tint);color:var(--accent)}
.badge.warn{background:var(--warn-tint);color:var(--warn)}
.badge.bad{background:var(--bad-tint);color:var(--bad)}
.notice,.alert{padding:.75rem 1rem;border-radius:.625rem;background:var(--tint);color:var(--accent)}
.alert{background:var(--bad-tint);color:var(--bad)}
.alert a{color:inherit}
.alert ul{padding-left:1.25rem}
.state{text-align:center;justify-items:center;padding:2rem 1.25rem}
.state p{color:var(--soft)}
.secret{display:block;padding:.75rem;background:var(--panel);border:1px solid var(--edge);border-radius:.625rem;user-select:all}
.fields{display:grid;gap:1rem;grid-template-columns:minmax(0,1fr)}
.field{display:flex;flex-direction:column;min-width:0;max-width:32rem}
label,legend{font-weight:550;margin-bottom:.25rem}
fieldset{border:0;min-width:0}
input,select,textarea{font:inherit;font-size:1rem;width:100%;min-height:2.75rem;padding:.375rem .75rem;color:var(--ink);
background:var(--card);border:1px solid var(--edge);border-radius:.5rem}
td select,td input{width:auto;min-height:2.25rem;font-size:.875rem}
.logo{display:block;max-width:min(100%,15rem);max-height:6rem;padding:.375rem;border-radius:.5rem;background:#fff}
input[type=checkbox],input[type=radio]{width:1.125rem;min-height:1.125rem;height:1.125rem;margin:.1875rem .5rem 0 0;accent-color:var(--accent);flex:none}
.keys{max-width:24rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card);color:var(--ink)}
.fields>button.default{position:absolute;width:1px;height:1px;min-height:0;padding:0;overflow:hidden;clip-path:inset(50%)}
.choice{display:flex;font-weight:400;margin:0;padding:.25rem 0}
textarea{min-height:6rem;resize:vertical}
input:hover,select:hover,textarea:hover{border-color:var(--ink)}
[aria-invalid]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}
.wrong{color:var(--bad);font-size:.875rem;font-weight:500;margin-top:.25rem}
.field .hint{margin-top:.25rem}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center}
.decide{display:grid;gap:.5rem;justify-items:start;text-align:left}
button,.button{display:inline-block;min-height:2.5rem;padding:.4375rem 1rem;border:1px solid transparent;border-radius:.625rem;
font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;background:var(--accent);color:var(--on-accent)}
button:hover,.button:hover{background:var(--press);color:var(--on-accent)}
button.plain,.button.plain{border-color:var(--edge);color:var(--ink);background:var(--card)}
button.plain:hover,.button.plain:hover{border-color:var(--ink)}
button.danger{background:var(--card);border-color:var(--bad);color:var(--bad)}
button.danger:hover{background:var(--bad-tint);color:var(--bad)}
button.small{min-height:2.25rem;padding:.3125rem .75rem;font-size:.875rem}
.row-links{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.row-links a{padding:.25rem 0;white-space:nowrap}
button.link{min-height:0;padding:0;border:0;background:none;color:var(--accent);font-weight:400;text-decoration:underline;text-underline-offset:.2em}
button.link:hover{background:none;color:var(--press)}
.sum{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .75rem}
.sum .amount{font-size:1.75rem;line-height:1.2;font-weight:650;letter-spacing:-.02em}
td bdi{display:inline-block;max-width:min(14rem,60vw);vertical-align:top;overflow-wrap:break-word}
td .id,td time{white-space:nowrap}
.amount{font-variant-numeric:tabular-nums;white-space:nowrap}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.whole{user-select:all}
[hidden]{display:none!important}
.copy{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem}
.copy code{flex:1 1 14rem;min-width:0;padding:.4375rem .625rem;background:var(--panel);border:1px solid var(--line);border-radius:.5rem;white-space:pre-wrap}
.filter{display:grid;gap:.75rem 1rem;align-items:end;grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr))}
.filter .buttons{min-height:2.75rem}
.pair{display:grid;gap:1rem;grid-template-columns:minmax(0,1fr) minmax(5.5rem,8rem);max-width:32rem}
.line{display:grid;gap:.75rem 1rem;align-items:start;grid-template-columns:minmax(0,4fr) minmax(0,1.25fr) minmax(0,1.75fr) minmax(0,2.5fr);
max-width:64rem;margin-top:1rem;padding:.5rem 1rem .75rem;background:var(--panel);border:1px solid var(--line);border-radius:.625rem}
.line legend{float:left;width:100%;grid-column:1/-1;margin:0;color:var(--soft);font-size:.875rem}
.line>details,.line>.choice{grid-column:1/-1}
.line>.choice{padding:0}
.line summary{font-weight:400}
.grid{display:grid;gap:1rem;align-items:start;grid-template-columns:repeat(auto-fit,minmax(min(100%,13rem),1fr));max-width:48rem;margin-top:.75rem}
details .field+.field,details>details,details>details+.scroll,fieldset+.field{margin-top:1rem}
details .grid .field+.field,details .line>.field+.field{margin-top:0}
.timeline{list-style:none;display:grid;gap:1rem;grid-template-columns:minmax(0,1fr)}
.timeline li{position:relative;padding-left:1.5rem}
.timeline li::before{content:"";position:absolute;left:.125rem;top:.4375rem;width:.625rem;height:.625rem;border-radius:50%;background:var(--edge)}
.timeline li::after{content:"";position:absolute;left:.40625rem;top:1.25rem;bottom:-1.25rem;width:1px;background:var(--line)}
.timeline li:last-child::after{display:none}
.timeline .paid::before,.timeline .completed::before,.timeline .processed::before{background:var(--accent)}
.timeline .failed::before,.timeline .overdue::before{background:var(--bad)}
.timeline pre{margin-top:.5rem;max-height:14rem}
.counts{list-style:none;display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,7rem),1fr))}
.counts a{display:block;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.625rem;color:var(--soft);text-decoration:none}
.counts a:hover{border-color:var(--edge)}
.counts strong{display:block;font-size:1.5rem;line-height:1.25;color:var(--ink);font-variant-numeric:tabular-nums}
.kinds ul{display:flex;flex-wrap:wrap;gap:.375rem .5rem;list-style:none;margin:.375rem 0 1rem}
.kinds h2{font-size:1rem}
.kinds a{display:block;padding:.25rem .75rem;border:1px solid var(--line);border-radius:.625rem;background:var(--card);color:var(--ink);text-decoration:none}
.kinds a:hover{border-color:var(--edge)}
.kinds a[aria-current]{border-color:var(--accent);background:var(--tint);color:var(--accent)}
.mail{display:grid;gap:1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr))}
.mail .card{min-width:0;align-content:start}
.mail iframe{width:100%;height:46rem;border:1px solid var(--line);border-radius:.625rem}
.mail pre{white-space:pre-wrap}
.steps{display:grid;gap:1.25rem;padding-left:1.25rem}
.notes{padding-left:1.25rem}
.steps p{margin-top:.375rem}
.failing{border-color:var(--bad)}
.charts{display:grid;gap:1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}
.charts>div{display:flex;flex-direction:column;gap:.5rem;justify-content:space-between}
.chart{display:block;width:100%;height:auto}
.chart .grid-line{stroke:var(--line)}
.chart .tick{fill:var(--soft);font-size:12px}
.bar-1{fill:var(--accent)}
.bar-2{fill:var(--edge)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.875rem;color:var(--soft)}
.legend span::before{content:"";display:inline-block;width:.75rem;height:.75rem;margin-right:.375rem;border-radius:.1875rem;background:var(--accent);print-color-adjust:exact;-webkit-print-color-adjust:exact}
.legend .key-2::before{background:var(--edge)}
meter{width:min(100%,16rem);height:1rem;vertical-align:-.125rem}
.pages{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
.menu{list-style:none;display:grid;gap:.5rem}
summary{cursor:pointer;font-weight:550;min-height:2rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.mode.live :focus-visible{outline-color:currentColor}
@media(prefers-reduced-motion:no-preference){button,.button,input{transition:background-color .15s,border-color .15s}}
@media(max-width:34rem){.id{font-size:.8em}.pair{grid-template-columns:minmax(0,1fr)}.line{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}.line>.field:first-of-type,.line>.field:nth-of-type(4){grid-column:1/-1}nav.sections{padding:0}nav.sections ul{display:grid;grid-template-columns:repeat(3,1fr)}nav.sections a{padding:.5rem .25rem;text-align:center}dl>div{display:block}.card{padding:1rem}.card>.scroll{margin:0 -1rem;padding:0 1rem}.rows thead{display:none}.rows,.rows tbody,.rows tr,.rows td{display:block}.rows tr{padding:.625rem 0;border-top:1px solid var(--line)}.rows tbody tr:first-child{border-top:0}.rows td{display:flex;justify-content:space-between;gap:1rem;min-width:0;padding:.125rem 0;border:0;text-align:right}.rows td.number{padding-right:0}.rows td:empty{display:none}.rows td::before{content:attr(data-title);flex:none;color:var(--soft);text-align:left}}
@media(forced-colors:active){.badge,.notice,.alert,.mode{border:1px solid}}
@media print{@page{margin:12mm}
:root{color-scheme:light;--page:#fff;--tint:#fff;--shadow:none}
nav,.find,.user,.mode a,details:has(.filter),.buttons,button,.button,td input,.skip{display:none!important}
.mode{border-bottom:1px solid}
main{max-width:none;padding:1rem 0 0}
.card{border:0;border-top:1px solid var(--line);border-radius:0;padding:1rem 0}
tr,dl,figure,.charts>div{break-inside:avoid}
h2,h3{break-after:avoid}
.card>.scroll,.scroll{margin:0;padding:0;overflow:visible}}
`;

/** The exact text of each page's only `<style>` element. The page's policy allows it by its hash. */
export const dashboardStylesheet = source.replaceAll('\n', '');
