/** How the page looks: as the console does, by the system's theme, from 320 pixels on. */
export const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#14171c, #eceef2);
  --ink-2: light-dark(#4c5563, #b4bac5);
  --ink-3: light-dark(#5f6878, #979eab);
  --paper: light-dark(#fcfcfd, #0d0e12);
  --panel: light-dark(#ffffff, #15171c);
  --line: light-dark(#e6e8ec, #272b33);
  --edge: light-dark(#d3d7de, #3b414c);
  --hover: light-dark(#f5f6f8, #191c22);
  --act: light-dark(#4150d6, #5563ee);
  --link: light-dark(#4150d6, #98a3ff);
  --ring: light-dark(#4150d6, #98a3ff);
  --sans: Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100dvh;
  display: flex;
  flex-direction: column;
  gap: 24px;
  background: var(--paper);
  color: var(--ink);
  font: 400 15px/1.5 var(--sans);
}
[hidden] { display: none !important; }
header, footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 4px 24px; padding: 12px clamp(16px, 3vw, 28px); }
header { background: var(--panel); border-bottom: 1px solid var(--line); align-items: center; }
header p, footer p { margin: 0; }
#host, footer p, .note { color: var(--ink-3); font-size: 13px; }
footer { justify-content: center; }
.brand { display: flex; align-items: center; gap: 10px; font-weight: 600; color: var(--ink); overflow-wrap: anywhere; }
.brand rect { fill: var(--act); }
.brand path, .brand text { fill: #fff; font-size: 12.5px; font-weight: 700; text-anchor: middle; }
.brand path:has(+ text:not(:empty)) { display: none; }
.brand img { border-radius: 6px; }
main {
  width: min(1060px, 100% - 32px);
  margin: clamp(0px, 14vh, 160px) auto auto;
  display: grid;
  grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 14px;
  box-shadow: 0 12px 32px light-dark(#10182829, #0009);
  overflow: clip;
}
#about, #steps { padding: clamp(20px, 3vw, 34px); }
#about { background: var(--paper); border-right: 1px solid var(--line); overflow-wrap: anywhere; }
@media (max-width: 760px) {
  main { grid-template-columns: minmax(0, 1fr); }
  #about { border-right: 0; border-bottom: 1px solid var(--line); }
}
h1 { font-size: 20px; line-height: 1.25; letter-spacing: -.015em; margin: 0 0 12px; }
h2 { font-size: 16px; margin: 0 0 6px; }
h1:focus, h2:focus { outline: none; }
p { margin: 0 0 12px; color: var(--ink-2); }
strong { color: var(--ink); }
button {
  min-height: 44px;
  padding: 8px 18px;
  border: 1px solid transparent;
  border-radius: 8px;
  background: var(--act);
  color: #fff;
  font: inherit;
  font-weight: 500;
  cursor: pointer;
}
button:disabled { opacity: .6; cursor: default; }
button:focus-visible { outline: 2px solid var(--ring); outline-offset: 2px; }
.copy {
  flex: none;
  width: 84px;
  background: var(--panel);
  color: var(--ink);
  border: 0;
  border-left: 1px solid var(--edge);
  border-radius: 0 8px 8px 0;
}
.copy:hover { background: var(--hover); }
dl { margin: 18px 0 0; }
dt { color: var(--ink-3); font-size: 12.5px; font-weight: 500; }
#facts dd { margin: 2px 0 0; }
#facts dd + dt { margin-top: 10px; padding-top: 10px; border-top: 1px solid var(--line); }
#parts dd {
  display: flex;
  margin: 5px 0 14px;
  background: var(--paper);
  border: 1px solid var(--edge);
  border-radius: 8px;
}
.once { padding: 10px 14px; border-radius: 8px; background: light-dark(#fdf3dc, #33270d); color: light-dark(#7a4b00, #f1c878); }
.once strong { color: inherit; }
.plain { background: var(--panel); color: var(--ink); border-color: var(--edge); }
.plain:hover { background: var(--hover); }
.kept { display: inline-flex; align-items: center; gap: 10px; min-height: 32px; color: var(--ink); }
.kept input { width: 20px; height: 20px; margin: 0; accent-color: var(--act); }
textarea { width: 100%; padding: 8px 12px; border: 1px solid var(--edge); border-radius: 8px; background: var(--panel); color: var(--ink); font: inherit; }
.buttons { display: flex; flex-wrap: wrap; gap: 10px; }
code { font: 13px/19px var(--mono); }
dd code { flex: 1; min-width: 0; align-self: center; padding: 8px 12px; overflow-wrap: anywhere; white-space: pre-wrap; }
a { color: var(--link); }
#status { min-height: 1.5em; margin: 0; }
`;
