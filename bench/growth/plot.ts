/** Draws the cost of SQL statements by the size of the database as an SVG. Both axes are logarithmic. */
export interface Line {
  readonly name: string;
  readonly points: readonly { readonly claims: number; readonly us: number }[];
}

const WIDTH = 900;
const HEIGHT = 480;
const LEFT = 70;
const RIGHT = 330;
const TOP = 50;
const BOTTOM = 50;
const LINE_HEIGHT = 15;

/** Seven colours that people with any colour vision can distinguish (by Okabe and Ito), and black. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f00', '#000000'];

export function plot(lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const across = scale(
    points.map(({ claims }) => claims),
    LEFT,
    WIDTH - RIGHT,
  );
  const costs = points.map(({ us }) => us);
  const floor = 10 ** Math.floor(Math.log10(Math.min(...costs)));
  const ceiling = 10 ** Math.ceil(Math.log10(Math.max(...costs)));
  const up = scale([floor, ceiling], HEIGHT - BOTTOM, TOP);
  const sizes = [...new Set(points.map(({ claims }) => claims))];
  const levels = ticks(floor, ceiling);
  const labels = spread(lines.map((line) => up(line.points.at(-1)?.us ?? floor)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<text x="${LEFT}" y="25" font-size="15">Microseconds of Postgres for one statement, by the number of claims</text>
${sizes.map((claims) => mark(across(claims), HEIGHT - BOTTOM + 20, 'middle', claims.toLocaleString('en'))).join('\n')}
${levels.map((us) => `<path d="M${LEFT} ${up(us)}H${WIDTH - RIGHT}" stroke="#ddd"/>\n${mark(LEFT - 8, up(us) + 4, 'end', us.toLocaleString('en'))}`).join('\n')}
${lines.map((line, i) => drawn(line, COLOURS[i % COLOURS.length] ?? '', across, up, labels[i] ?? 0)).join('\n')}
</svg>
`;
}

type Scale = (value: number) => number;

function scale(values: readonly number[], from: number, to: number): Scale {
  const [least, most] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  return (value) => Math.round(from + ((Math.log10(value) - least) / (most - least)) * (to - from));
}

/** Returns the numbers to write at an axis of the plot: 1, 2 and 5 times each power of ten in the given range. */
function ticks(floor: number, ceiling: number): number[] {
  const found: number[] = [];
  for (let power = floor; power < ceiling; power *= 10) found.push(power, 2 * power, 5 * power);
  return [...found, ceiling];
}

/** Returns the heights of the labels at the plot’s curves, moved apart where two labels would overlap. */
function spread(heights: readonly number[]): number[] {
  const places = [...heights];
  const order = [...places.keys()].sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  let last = -Infinity;
  for (const i of order) last = places[i] = Math.max(heights[i] ?? 0, last + LINE_HEIGHT);
  return places;
}

function drawn({ name, points }: Line, colour: string, across: Scale, up: Scale, label: number): string {
  const path = points.map(({ claims, us }) => `${across(claims)},${up(us)}`).join(' ');
  const dots = points.map(({ claims, us }) => `<circle cx="${across(claims)}" cy="${up(us)}" r="3"/>`).join('');
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>
<g fill="${colour}">${dots}${mark(WIDTH - RIGHT + 12, label + 4, 'start', name)}</g>`;
}

function mark(x: number, y: number, anchor: 'start' | 'middle' | 'end', text: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}
