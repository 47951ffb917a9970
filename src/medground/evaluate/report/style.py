"""The page's styles and its only script: readable in light and dark mode, on paper and on a phone."""

from __future__ import annotations

import base64
import hashlib

CSS = """
:root{color-scheme:light dark;--ground:#fcfcfb;--panel:#fff;--ink:#16181d;--soft:#5c6370;--rule:#e3e4e8;--run:#1f6feb;
--base:#b4540a;--good:#18794e;--bad:#c4314b;--hover:#f2f4f8;--c0:#1f6feb;--c1:#8db8f7;--c2:#c9ccd3;--c3:#8b93a1;
--c4:#c4314b;--c5:#e0892f;--c6:#e6c34a;--c7:#e3e4e8;--on0:#fff;--on1:#10213d;--heat:31,111,235}
@media(prefers-color-scheme:dark){:root{--ground:#121417;--panel:#191c20;--ink:#e8eaee;--soft:#9aa3b2;--rule:#2c3138;
--run:#6aa6ff;--base:#f0a35e;--good:#4fc38a;--bad:#ff7b90;--hover:#20242a;--c0:#3f7fdc;--c1:#27497c;--c2:#434a55;
--c3:#656e7c;--c4:#c24a60;--c5:#b8702c;--c6:#94802c;--c7:#2c3138;--on0:#fff;--on1:#e8eaee;--heat:106,166,255}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1040px;margin:0 auto;padding:40px 24px 80px}
h1{font-size:26px;line-height:1.25;margin:0 0 6px;letter-spacing:-.01em}
h2{font-size:18px;margin:44px 0 10px}h3{font-size:15px;margin:22px 0 6px}
p{margin:6px 0 12px;max-width:74ch}.soft,small{color:var(--soft)}small{font-size:13px}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:7px 14px 7px 0;border-bottom:1px solid var(--rule);vertical-align:top}
th{font-weight:600;color:var(--soft);font-size:13px;white-space:nowrap}tbody tr:hover{background:var(--hover)}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.main{font-weight:650}
tr.base td{color:var(--base)}.good{color:var(--good)}.bad{color:var(--bad)}.id{white-space:nowrap;color:var(--soft)}
.warn{border-left:3px solid var(--base);padding:2px 0 2px 12px;margin:8px 0}
.plot{display:block;width:100%;max-width:760px;height:auto;margin:10px 0 4px;font-size:13px}
.plot text{fill:var(--ink)}.plot .label{text-anchor:end}.plot .value{text-anchor:end;font-weight:650}
.plot .tick{fill:var(--soft);text-anchor:middle;font-size:12px}.plot .grid{stroke:var(--rule)}
.plot .base-line{stroke:var(--base);stroke-dasharray:3 4}.plot .whisker{stroke-width:2.5;stroke-linecap:round}
.plot .whisker.run{stroke:var(--run);opacity:.55}.plot .whisker.base{stroke:var(--base);opacity:.55}
.plot .dot.run{fill:var(--run)}.plot .dot.base{fill:var(--base)}.plot .bar{fill:var(--run)}
.plot .inside{text-anchor:middle;font-size:12px;fill:var(--on1)}.plot .part-0+.inside{fill:var(--on0)}
.part-0{fill:var(--c0);background:var(--c0)}.part-1{fill:var(--c1);background:var(--c1)}
.part-2{fill:var(--c2);background:var(--c2)}.part-3{fill:var(--c3);background:var(--c3)}
.part-4{fill:var(--c4);background:var(--c4)}.part-5{fill:var(--c5);background:var(--c5)}
.part-6{fill:var(--c6);background:var(--c6)}.part-7{fill:var(--c7);background:var(--c7)}
.key{margin:2px 0 14px;display:flex;flex-wrap:wrap;gap:4px 18px;font-size:13px;color:var(--soft)}
.key i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px}
.pair{display:flex;flex-wrap:wrap;gap:10px 34px;margin:4px 0 10px}.pair b{display:block;font-size:20px;line-height:1.3}
.pair span{font-size:13px;color:var(--soft)}
.matrix td,.matrix th{text-align:center;padding:6px 12px}.matrix th:first-child{text-align:right}
.matrix{width:auto}.two{display:flex;flex-wrap:wrap;gap:8px 48px}
details{margin:10px 0}summary{cursor:pointer;font-weight:600}
code{font:13px ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.filter{display:flex;flex-wrap:wrap;gap:8px;margin:10px 0}
.filter button{font:inherit;font-size:13px;padding:4px 13px;border:1px solid var(--rule);border-radius:99px;
background:var(--panel);color:var(--ink);cursor:pointer}
.filter button[aria-pressed=true]{background:var(--run);border-color:var(--run);color:var(--ground)}
@media print{.filter{display:none}main{max-width:none;padding:0}}
"""

SCRIPT = """
for (const button of document.querySelectorAll('.filter button')) button.addEventListener('click', () => {
  for (const other of document.querySelectorAll('.filter button')) other.setAttribute('aria-pressed', other === button);
  const wanted = button.dataset.show;
  for (const row of document.querySelectorAll('#questions tbody tr'))
    row.hidden = wanted !== 'all' && row.dataset.outcome !== wanted;
});
"""

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"
    + base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    + "'"
)
"""The page may load nothing and run only this script, whatever its text contains."""
