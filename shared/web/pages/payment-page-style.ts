/**
 * Defines the stylesheet of the hosted payment page.
 * - All colors are variables, so each color scheme is one set: light, dark, and black on white for print.
 * - No selector or value depends on a line break, because all line breaks are removed.
 */

const source = `
:root{color-scheme:light dark;
--page:#f3f4f1;--card:#fff;--panel:#fafaf8;--ink:#181d1b;--soft:#59625e;--line:#e3e6e2;--edge:#838c87;
--accent:#0b6956;--press:#084f41;--on-accent:#fff;--tint:#e4f2ee;
--bad:#a8201a;--bad-tint:#fdf0ee;--warn:#6a4700;--warn-tint:#fff3d3;--shadow:0 1px 2px #0a1f1a0d,0 12px 32px -12px #0a1f1a24}
@media(prefers-color-scheme:dark){:root{
--page:#0e1211;--card:#171c1a;--panel:#1b211f;--ink:#eceeec;--soft:#a3ada8;--line:#2b3330;--edge:#74807a;
--accent:#5fd0b3;--press:#86e0c8;--on-accent:#06231c;--tint:#153a31;
--bad:#ff9d92;--bad-tint:#3a1c19;--warn:#ffd884;--warn-tint:#3a2d0d;--shadow:0 0 0 1px #ffffff0a}}
*{box-sizing:border-box}
p{text-wrap:pretty}
body,h1,h2,p,dl,dd,ul,figure{margin:0;padding:0}
body{min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--page);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
.test{background:var(--warn-tint);color:var(--warn);padding:.625rem 1rem;font-size:.9375rem}
main{flex:1;width:100%;max-width:34rem;margin:0 auto;padding:clamp(0px,(100vw - 30rem)*9,3.5rem) clamp(0px,(100vw - 30rem)*9,1.5rem) 0}
main:has(.wide){max-width:63rem}
footer{color:var(--soft);font-size:.8125rem;padding:1.75rem 1rem}
.card{background:var(--card);box-shadow:var(--shadow);border-radius:clamp(0px,(100vw - 30rem)*9,1.125rem);overflow:hidden;display:grid;grid-template-columns:minmax(0,1fr)}
.card>*{padding:2rem clamp(1.25rem,5vw,2.75rem)}
.card>*+*{border-top:1px solid var(--line)}
@media(min-width:52rem){.wide{grid-template-columns:minmax(0,1fr) minmax(0,1.08fr)}
.wide>.bill,.wide>.pay{padding-block:2.75rem}
.wide>.bill+.pay{border-top:0;border-left:1px solid var(--line)}
.wide>.alert,.wide>.note{grid-column:1/-1}}
.bill{background:var(--panel)}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;font-weight:650}
h2{font-size:1.1875rem;line-height:1.3;letter-spacing:-.01em;font-weight:650;margin-bottom:1.25rem}
.lead{display:block;font-size:1rem;line-height:1.5;letter-spacing:0;font-weight:500;color:var(--soft)}
.lead bdi{color:var(--ink);font-weight:600}
.logo{display:block;max-width:min(100%,12.5rem);max-height:4rem;width:auto;height:auto;margin-bottom:1.25rem;padding:.375rem;border-radius:.5rem;background:#fff}
.state .logo{margin-inline:auto}
.monogram{display:grid;place-items:center;width:2.5rem;height:2.5rem;margin-bottom:1.25rem;border-radius:.75rem;overflow:hidden;background:var(--tint);color:var(--accent);font-weight:650;font-size:1.125rem;line-height:1}
.amount{display:block;font-size:clamp(2.125rem,1.6rem + 2.4vw,2.75rem);line-height:1.15;letter-spacing:-.025em;
font-variant-numeric:tabular-nums;margin-top:.375rem}
.amount.long{font-size:clamp(1.5rem,1.1rem + 1.9vw,1.875rem)}
.text{white-space:pre-wrap;unicode-bidi:plaintext}
.bill .text,.pay .text+p,.copies+p{margin-top:1.25rem}
.text.long{max-height:calc(.75rem + 13.2em);overflow:auto;padding:.75rem .875rem;border:1px solid var(--line);border-radius:.625rem;background:var(--card)}
dl{font-size:.9375rem}
.bill dl{margin-top:1.75rem;padding-top:.5rem;border-top:1px solid var(--line)}
dl>div{display:flex;gap:1rem;padding:.5rem 0}
dt{flex:0 0 6.25rem;color:var(--soft)}
dd{flex:1;min-width:0}
.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em;font-variant-ligatures:none}
strong.id{font-size:1em;letter-spacing:.03em}
.badge{display:inline-block;padding:0 .5rem;border-radius:1rem;font-size:.8125rem;font-weight:600;background:var(--bad-tint);color:var(--bad)}
.alert{display:flex;gap:.875rem;background:var(--bad-tint);padding-block:1.25rem}
.alert strong{color:var(--bad)}
.alert .icon{flex:none;width:1.75rem;height:1.75rem;margin:0;padding:.25rem;background:var(--bad);color:var(--bad-tint)}
.calm{background:var(--tint)}
.calm strong{color:var(--accent)}
.calm .icon{background:var(--accent);color:var(--tint)}
.alert ul{list-style:none}
.alert a{display:inline-block;padding:.625rem 0;color:inherit;text-underline-offset:.2em}
.icon{display:block;width:3rem;height:3rem;padding:.625rem;border-radius:50%;background:var(--tint);color:var(--accent);
fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.state,.card>.note,.test,footer{text-align:center;text-wrap:balance}
.state .icon{margin:.5rem auto 1.25rem}
.state .cross,.state .alert,.state .back{background:var(--page);color:var(--soft)}
.state p{color:var(--soft);margin-top:.625rem}
.state .action{margin-top:1.5rem}
.kind{display:none}
.fields{display:grid;grid-template-columns:1fr 1fr;gap:1.25rem 1rem}
.field{display:flex;flex-direction:column;min-width:0}
.number{grid-column:1/-1}
label{font-weight:550;margin-bottom:.375rem}
input{font:inherit;font-size:1.0625rem;font-variant-numeric:tabular-nums;width:100%;min-height:3rem;padding:.5rem .875rem;color:var(--ink);
background:var(--card);border:1px solid var(--edge);border-radius:.625rem}
input:hover{border-color:var(--ink)}
[aria-invalid]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}
.wrong{color:var(--bad);font-size:.875rem;line-height:1.45;font-weight:500;margin-top:.375rem}
.hint,.note,figcaption{color:var(--soft);font-size:.875rem;line-height:1.45}
.hint,.file{margin-top:.375rem}
dd .text:first-child{margin-top:0}
dd a,.text a{color:var(--accent)}
.file a,.note a{color:var(--accent);display:inline-block;padding-block:.625rem;line-height:1.5rem}
footer a{color:inherit;display:inline-block;padding-block:.625rem;line-height:1.5rem}
footer ul{list-style:none}
footer li{display:inline-block;padding:.25rem .625rem}
button,.button{display:block;width:100%;min-height:3.25rem;padding:.75rem 1rem;border:1px solid transparent;border-radius:.75rem;
font:inherit;font-size:1.0625rem;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;font-variant-numeric:tabular-nums}
button{margin-top:1.75rem;background:var(--accent);color:var(--on-accent)}
button:hover{background:var(--press)}
.button{display:inline-block;width:auto;min-width:12rem;border-color:var(--edge);color:var(--ink);background:var(--card)}
.button:hover{border-color:var(--ink)}
.pay .note{margin-top:1rem}
.copies div,.copies dd{display:flex;align-items:center;gap:1rem;padding:.25rem 0}
.value{flex:1;min-width:0}
.copy{flex:none;min-width:6rem;min-height:2.75rem;margin:0;padding:0;font-size:1em}
.copy:hover{background:var(--panel)}
[hidden]{display:none}
.heard{position:absolute;width:1px;overflow:hidden;clip-path:inset(50%)}
.card>.note{padding-block:.5rem}
.pay p+form{margin-top:1.25rem}
.pay>details h2{margin-top:.75rem}
summary{min-height:2.75rem;padding:.625rem .875rem;font-weight:550;cursor:pointer;border-radius:.625rem}
details{border:1px solid var(--line);border-radius:.625rem;font-size:.9375rem}
details>:not(summary){margin:0 .875rem .75rem}
.test-cards{margin-bottom:1.5rem;border-color:transparent;background:var(--warn-tint)}
.test-cards summary{color:var(--warn)}
table{border-collapse:collapse;width:calc(100% - 1.75rem);font-size:.875rem}
th{font-weight:550;text-align:left}
th,td{padding:.375rem .5rem .375rem 0;vertical-align:top;border-top:1px solid #80808040}
td.id{white-space:nowrap;user-select:all}
.sum{overflow-x:auto;margin-top:1.25rem}
.sum table{width:100%}
.taxes .number,.taxes th{font-weight:400}
.sum .number{text-align:right;white-space:nowrap}
.sum .number:last-child{padding-right:0}
.sum th{overflow-wrap:normal}
.sum th.number{white-space:normal}
.sum tfoot tr:last-child>*{font-weight:650}
figure{margin:1.5rem 0;text-align:center}
.qr{display:block;width:13rem;max-width:100%;margin:0 auto;border-radius:.75rem;forced-color-adjust:none}
figcaption{margin:.5rem 0 1rem}
figure .action{margin-bottom:1rem}
figure details{text-align:left}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media(prefers-reduced-motion:no-preference){button,.button,input{transition:background-color .15s,border-color .15s}}
@media(max-width:27rem){dl>div,.copies>div{display:block}}
@media(forced-colors:active){.monogram,.badge,.test,.text.long,.alert,.test-cards{border:1px solid}}
@media print{@page{margin:15mm}
:root{font-size:12px;color-scheme:light;--page:#fff;--card:#fff;--panel:#fff;--ink:#000;--soft:#333;--line:#999;--accent:#000;--tint:#fff;--bad:#000;--bad-tint:#fff;--warn:#000;--warn-tint:#fff;--shadow:none}
body{display:block;font-size:10pt}
.test{border:2px solid;font-size:1rem}
.test strong{text-transform:uppercase}
main,main:has(.wide){max-width:none;padding:1rem 0 0}
footer{padding:1rem 0 0}
nav,.file,.copy{display:none}
.card>*{padding:1rem 0}
.wide{display:block}
.wide>.pay{border-left:0}
.state{text-align:left}
.state .kind{display:block;margin:0 0 1.25rem;color:var(--ink);font-size:1.75rem;font-weight:650;line-height:1.2}
.text.long{max-height:none;padding:0;border:0;overflow:visible}
dl>div{display:flex;break-inside:avoid}
dl>div:has(.long){break-inside:auto}
.icon,.monogram,.action,.screen,.alert,.pay:has(form),figure details{display:none}}
`;

/** The exact text of the page's only `<style>` element. The page's policy allows it by its hash. */
export const paymentPageStylesheet = source.replaceAll('\n', '');
