/**
 * Holds the stylesheet of the reference page.
 * - All colors are variables, with one set for light and one for dark mode.
 * - Radio buttons choose which samples are visible, and a check box opens the menu on a phone, both without a script.
 * - Operations, objects and guides are laid out when they are scrolled into view. Their padding leaves room for the outline of the focus, because they
 *   clip what is outside of them.
 * - Line breaks are removed, so they must have no meaning in the stylesheet.
 */

const source = `
:root{color-scheme:light dark;
--page:#fff;--panel:#f6f7f5;--code:#f3f5f3;--ink:#181d1b;--soft:#56605b;--line:#e1e5e1;--edge:#838c87;
--accent:#0b6956;--tint:#e4f2ee;--bad:#a8201a;--write:#8a4b00;--write-tint:#fdf0dc}
@media(prefers-color-scheme:dark){:root{
--page:#101413;--panel:#161b19;--code:#1a201e;--ink:#e9ecea;--soft:#a3ada8;--line:#2a322f;--edge:#74807a;
--accent:#5fd0b3;--tint:#143129;--bad:#ff9d92;--write:#ffc46b;--write-tint:#33250d}}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem;-webkit-text-size-adjust:100%}
body,h1,h2,h3,h4,p,ul,ol,pre,dl,dd,fieldset{margin:0;padding:0}
body{display:grid;grid-template-columns:16.5rem minmax(0,1fr);background:var(--page);color:var(--ink);
font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
a{color:var(--accent);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.25rem}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;padding:.5rem 1rem;background:var(--page);z-index:2}
code,pre,.method,.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-variant-ligatures:none}
code{font-size:.875em;background:var(--code);border-radius:.25rem;padding:.1em .3em;overflow-wrap:anywhere}
pre{background:var(--code);border:1px solid var(--line);border-radius:.625rem;padding:.875rem 1rem;overflow:auto;
font-size:.8125rem;line-height:1.55;tab-size:2;max-height:32rem}
pre code{font-size:inherit;padding:0;background:none;overflow-wrap:normal}
nav{position:sticky;top:0;height:100vh;height:100dvh;overflow:auto;background:var(--panel);border-right:1px solid var(--line);padding:1.5rem 1.25rem 3rem}
nav ul{list-style:none}
nav a{display:block;padding:.25rem .5rem;margin:0 -.5rem;color:var(--ink);text-decoration:none;border-radius:.375rem;font-size:.9375rem;line-height:1.4}
nav a:hover{background:var(--tint)}
nav h2{font-size:.8125rem;color:var(--soft);font-weight:600;margin:1.5rem 0 .375rem}
.brand{font-weight:700;font-size:1.125rem;letter-spacing:-.01em;margin:0 0 .25rem}
.brand a{display:inline;font-size:inherit;margin:0;padding:0}
.toggle{display:none;font-weight:600;padding:.25rem .75rem;border:1px solid var(--edge);border-radius:.5rem}
.toggle input{position:absolute;opacity:0}
.toggle:has(:checked){background:var(--tint)}
.toggle:focus-within{outline:3px solid var(--accent);outline-offset:2px}
#find{margin-top:1rem}
#find[hidden]{display:none}
#find label{font-size:.8125rem;color:var(--soft);font-weight:600}
#searched{width:100%;height:2.5rem;padding:0 .75rem;font:inherit;color:var(--ink);background:var(--page);border:1px solid var(--edge);border-radius:.5rem}
kbd{font:inherit;border:1px solid var(--edge);border-radius:.25rem;padding:0 .375rem}
#status{color:var(--soft);font-size:.8125rem;margin-top:.375rem}
#status:empty{margin:0}
#results .kind{display:block}
.block{position:relative}
.block>pre{padding-top:2.625rem}
.copy{position:absolute;top:.5rem;right:.5rem;font:600 .75rem/1.5rem system-ui,sans-serif;padding:0 .625rem;cursor:pointer;
color:var(--ink);background:var(--page);border:1px solid var(--edge);border-radius:.375rem}
.version{color:var(--soft);font-size:.875rem}
fieldset{border:0;margin-top:1.25rem;display:flex;flex-wrap:wrap;gap:.25rem 1rem}
legend{float:left;width:100%;padding:0;font-size:.8125rem;color:var(--soft);font-weight:600}
label{display:flex;gap:.375rem;align-items:center;cursor:pointer;min-height:1.75rem}
input{accent-color:var(--accent);width:1rem;height:1rem;margin:0}
body:has(#curl:checked) :is(.typescript,.python,.go),body:has(#typescript:checked) :is(.curl,.python,.go),
body:has(#python:checked) :is(.curl,.typescript,.receiver,.go),body:has(#go:checked) :is(.curl,.typescript,.receiver,.python){display:none}
main{padding:2.5rem clamp(1rem,4vw,3.5rem) 6rem;max-width:86rem;width:100%}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.02em;font-weight:680}
h1.code{font:600 1.5rem/1.3 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.columns .prose>h2{font-size:1.125rem;margin-top:2rem}
.columns .prose>h2:first-child{margin-top:0}
.columns .prose>h2+*{margin-top:.375rem}
nav [aria-current]{background:var(--tint);font-weight:600}
nav a{overflow-wrap:anywhere}
h2{font-size:1.5rem;line-height:1.3;letter-spacing:-.015em;font-weight:660}
h3{font-size:1.1875rem;line-height:1.35;letter-spacing:-.01em;font-weight:650}
h4{font-size:.9375rem;font-weight:650;margin:1.75rem 0 .5rem}
.prose>*+*,.prose>:is(.receiver,.python,.go)>*+*{margin-top:.875rem}
.prose ul,.prose ol{padding-left:1.25rem}
.prose,.lead{max-width:46rem;overflow-wrap:anywhere}
.lead{margin-top:.875rem;font-size:1.0625rem}
section.group{margin-top:3.5rem;padding-top:2.5rem;border-top:1px solid var(--line)}
.guide h2{margin-bottom:.875rem}
.guide h3{margin-top:1.75rem}
section.operation,section.object,section.guide{margin-top:3rem}
section.guide:first-child{margin-top:0}
section.operation,section.object,section.guide{content-visibility:auto;contain-intrinsic-size:auto 40rem;margin-inline:-.375rem;padding-inline:.375rem}
section.operation{contain-intrinsic-size:auto 75rem}
.entries{padding-left:.75rem}
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,28rem);gap:2rem 3rem;align-items:start;margin-top:1rem}
.samples{display:grid;gap:1rem;grid-template-columns:minmax(0,1fr);position:sticky;top:1.5rem}
.samples :is(h2,h4){margin:0 0 -.5rem;font-size:.9375rem;letter-spacing:0}
.endpoint{display:flex;flex-wrap:wrap;gap:.25rem .625rem;align-items:baseline;margin-top:.375rem}
.method{font-size:.8125rem;font-weight:650;padding:.05rem .5rem;border-radius:.375rem;background:var(--tint);color:var(--accent)}
.method.refused{background:var(--write-tint);color:var(--bad)}
.method.post,.method.patch,.method.delete{background:var(--write-tint);color:var(--write)}
.path{font-size:.9375rem;overflow-wrap:anywhere}
.fields{border-top:1px solid var(--line)}
.fields>div{padding:.625rem 0;border-bottom:1px solid var(--line)}
.fields .fields{margin:.5rem 0 0 .125rem;padding-left:1rem;border-left:2px solid var(--line);border-top:0}
.fields .fields>div:last-child{border-bottom:0;padding-bottom:0}
.fields dt{display:flex;flex-wrap:wrap;gap:0 .625rem;align-items:baseline}
.fields dt code{font-weight:600;background:none;padding:0;font-size:.9375rem}
.kind{color:var(--soft);font-size:.875rem}
.fields .kind a{display:inline-block;min-height:1.5rem}
.required{color:var(--bad);font-size:.8125rem;font-weight:600}
.fields dd>:is(p,ul){font-size:.9375rem;margin-top:.125rem}
.optional{color:var(--soft);font-size:.8125rem}
.fields dd>.values{color:var(--soft);font-size:.875rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9375rem;margin-top:.5rem}
th,td{text-align:left;vertical-align:top;padding:.5rem 1rem .5rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;font-size:.875rem;color:var(--soft)}
td code{white-space:nowrap}
details{margin-top:1.25rem}
summary{cursor:pointer;font-weight:600;font-size:.9375rem;min-height:1.75rem}
details[id]{margin-top:.5rem}
details[open]>summary{margin-bottom:.5rem}
@media(max-width:70rem){.columns{grid-template-columns:minmax(0,1fr)}.samples{position:static}}
@media(max-width:52rem){body{display:block}
html{scroll-padding-top:4.5rem}
nav{height:auto;overflow:visible;z-index:1;border-right:0;border-bottom:1px solid var(--line);padding:.5rem clamp(1rem,4vw,3.5rem);
display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center}
.brand{margin:0}
.menu{flex:1 0 100%}
nav a{padding:.5rem}
table:has([id]) :is(th,td):nth-child(3){display:none}
.toggle{display:flex}
.menu{display:none}
body:has(#menu:checked) .menu{display:block;overflow:auto;max-height:calc(100dvh - 4rem);padding-bottom:2rem}
main{padding-top:1.5rem}
section.group{margin-top:2.5rem;padding-top:2rem}}
@media print{body{display:block}section.operation,section.object,section.guide{content-visibility:visible}nav,.copy{display:none}.block>pre{padding-top:.875rem}pre{white-space:pre-wrap;max-height:none}.columns{display:block}}
`;

/** The exact content of the page's `<style>` element: the Content-Security-Policy allows it by its hash. */
export const docsStylesheet = source.replaceAll('\n', '');
