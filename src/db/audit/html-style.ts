/** Dark is every row, light is some; what is wrong is red and nothing else is. */
export const STYLE = `
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem; color: #1c2430; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
code { font: 12px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
.matrix th[scope=row] { text-align: left; font-weight: 500; padding: 3px 18px 3px 0; white-space: nowrap; }
.matrix th[scope=col] { font-weight: 500; font-size: 12px; padding: 0 9px 6px; vertical-align: bottom; max-width: 82px; }
.matrix td { padding: 3px 9px; text-align: center; border-left: 1px solid #e5e9ef; }
.matrix tr + tr { border-top: 1px solid #eef1f5; }
.matrix tr:hover { background: #f6f8fb; }
.crud { white-space: nowrap; }
i { display: inline-block; width: 13px; height: 13px; margin: 0 1px; border-radius: 2px; vertical-align: middle; box-sizing: border-box; }
.none { border: 1px solid #e1e6ed; }
.closed { border: 1px solid #9aa7b8; background: repeating-linear-gradient(45deg, #fff 0 2px, #c3ccd8 2px 4px); }
.some { background: #7cb3f2; }
.all { background: #0b3d91; }
.legend span { margin-right: 1rem; white-space: nowrap; }
.list td, .list th { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-top: 1px solid #e5e9ef; }
.well { color: #18794e; }
.ill, .error td:first-child { color: #c62a2f; font-weight: 600; }
.warning td:first-child { color: #9a6700; font-weight: 600; }
`;
