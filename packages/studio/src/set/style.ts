/**
 * How the picture looks, in the page and out of it. The colours are the page's tokens; where there are none, as in a file of its own, what
 * stands behind them counts. It holds no character that would have to be escaped in an element.
 */
const LIGHT = {
  surface: '#ffffff',
  sunken: '#f6f7f9',
  line: '#e1e4ea',
  'line-strong': '#c5cad4',
  text: '#171a21',
  'text-muted': '#4d5563',
  'text-faint': '#666e7d',
  ok: '#00755a',
  warn: '#855700',
  bad: '#b3350f',
  primary: '#00755a',
  'primary-soft': '#d9f3ea',
  secondary: '#0064a0',
  'secondary-soft': '#deeefa',
  candidate: '#855700',
  'candidate-soft': '#fdf0d1',
  rollback: '#b3350f',
  'rollback-soft': '#fde6dd',
  recovering: '#953a71',
  'recovering-soft': '#f8e3ef',
  startup: '#565e6c',
  'startup-soft': '#e9ebef',
  down: '#666e7d',
  'down-soft': '#eff0f3',
  arbiter: '#6a4fb0',
  'arbiter-soft': '#ece6fa',
  'term-0': '#dcdfe5',
  'term-1': '#b9dcf7',
  'term-2': '#fbd9a0',
  'term-3': '#d9ccf6',
  'term-4': '#b4e6d6',
  'term-5': '#f5c9dd',
} as const;

const DARK: Readonly<Record<keyof typeof LIGHT, string>> = {
  surface: '#15181e',
  sunken: '#101318',
  line: '#272c36',
  'line-strong': '#3b424f',
  text: '#e8eaee',
  'text-muted': '#a9b1bf',
  'text-faint': '#8d96a5',
  ok: '#3fcba0',
  warn: '#f0b64c',
  bad: '#ff8e6b',
  primary: '#3fcba0',
  'primary-soft': '#10352b',
  secondary: '#66b5ef',
  'secondary-soft': '#12304a',
  candidate: '#f0b64c',
  'candidate-soft': '#3a2c0c',
  rollback: '#ff8e6b',
  'rollback-soft': '#42190c',
  recovering: '#e597c6',
  'recovering-soft': '#3d1a30',
  startup: '#a9b1bf',
  'startup-soft': '#262b34',
  down: '#8d96a5',
  'down-soft': '#1b1f26',
  arbiter: '#b7a3f5',
  'arbiter-soft': '#2a2148',
  'term-0': '#4a515e',
  'term-1': '#1f4b73',
  'term-2': '#6b4a0d',
  'term-3': '#4a3b79',
  'term-4': '#185645',
  'term-5': '#6d2c50',
};

const declared = (colours: Readonly<Record<string, string>>) =>
  Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour};`)
    .join('');

/** The tokens for a file of its own: light, or dark where somebody prefers that. */
export const OWN_TOKENS = `svg.setpic{${declared(LIGHT)}background:var(--surface)}@media(prefers-color-scheme:dark){svg.setpic{${declared(DARK)}}}`;

/** How each state looks: a line, and a surface. */
const LOOKS = {
  primary: 'primary',
  secondary: 'secondary',
  candidate: 'candidate',
  arbiter: 'arbiter',
  rollback: 'rollback',
  recovering: 'recovering',
  startup2: 'recovering',
  startup: 'startup',
  standalone: 'recovering',
  removed: 'down',
  down: 'down',
  killed: 'down',
  shutdown: 'down',
  fatal: 'down',
  'not-started': 'down',
} as const;

const looks = Object.entries(LOOKS)
  .map(([look, token]) => `.setpic .${look}{--look:var(--${token});--look-soft:var(--${token}-soft)}`)
  .join('');

const terms = Array.from({ length: 6 }, (_, i) => `.setpic .term-${i} rect{fill:var(--term-${i})}`).join('');

export const SET_STYLE = `${looks}${terms}
.setpic{--look:var(--startup);--look-soft:var(--startup-soft);--paper:var(--set-paper,var(--surface));font-family:var(--font,Inter,system-ui,sans-serif);display:block}
.setpic text{fill:var(--text);font-size:12px;paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}
.setpic .halo,.setpic .paper{fill:var(--paper)}
.setpic .paper{pointer-events:none;opacity:.7}
.setpic .disc{fill:var(--look-soft);stroke:var(--look);stroke-width:2}
.setpic .press{cursor:pointer;outline:none}
.setpic .drawn{pointer-events:none}
.setpic .press:focus-visible .ground,.setpic .way:focus-visible .line{stroke:var(--focus,var(--secondary));stroke-width:2.5}
.setpic .ground{fill:transparent;stroke:transparent}
.setpic .chosen{fill:var(--accent-soft,var(--secondary-soft));fill-opacity:.5;stroke:var(--accent,var(--secondary));stroke-width:1.5}
.setpic .icon{fill:none;stroke:var(--look);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.setpic .name{font-weight:700;font-size:15px;text-anchor:middle;stroke:none}
.setpic .name.below{font-size:13px;stroke:var(--paper)}
.setpic .small .name,.setpic .chip .name{font-size:12px}
.setpic .chip .name{font-size:11px}
.setpic .state{font-weight:650;font-size:11.5px;letter-spacing:.02em;text-anchor:middle;fill:var(--look)}
.setpic .detail{text-anchor:middle;fill:var(--text-muted);font-size:12px}
.setpic .hot{fill:var(--warn);font-weight:600}
.setpic .track{fill:none;stroke:var(--line)}
.setpic .ring{fill:none;stroke-linecap:round}
.setpic .ring.election{stroke:var(--candidate)}
.setpic .ring.pass{stroke:var(--recovering)}
.setpic .ring.idle{opacity:.4}
.setpic .crown{fill:none;stroke:#b07c00;stroke-width:2;stroke-linejoin:round}
.setpic .crown.full{fill:#f2b21b}
.setpic .crown.fallen{fill:var(--paper);stroke:var(--text-muted)}
.setpic .flash{fill:none;stroke:#f2b21b}
.setpic .burst{fill:none;stroke:var(--bad)}
.setpic .dead{filter:saturate(.2)}
.setpic .dead .disc{stroke-dasharray:4 4}
.setpic .dead .icon{stroke:var(--bad);stroke-width:3}
.setpic .dead .state{fill:var(--bad)}
.setpic .dead .strip{opacity:.4}
.setpic .frost{fill:var(--surface);fill-opacity:.62;stroke:var(--secondary);stroke-width:1.5;stroke-dasharray:1 4;stroke-linecap:round}
.setpic .paused .icon{stroke:var(--secondary)}
.setpic .paused .state{fill:var(--secondary)}
.setpic .slot{fill:var(--sunken);stroke:var(--line)}
.setpic .cell rect{stroke:var(--text-faint);stroke-width:1}
.setpic .cell text{font-size:11px;font-weight:700;text-anchor:middle;stroke:none}
.setpic .cell .two{font-size:9.5px}
.setpic .cell .many{font-size:7.5px}
.setpic .cell.written rect{stroke-dasharray:2 2;fill-opacity:.45}
.setpic .cell.lone rect{stroke:var(--bad);stroke-width:2;fill-opacity:.5}
.setpic .lone{fill:var(--bad)}
.setpic .cell.fallen rect{fill:var(--bad);stroke:var(--bad)}
.setpic .cell.fallen text{fill:var(--surface)}
.setpic .bar .track{fill:var(--line);stroke:none}
.setpic .bar .applied{fill:var(--line-strong)}
.setpic .bar .durable{fill:var(--text-faint)}
.setpic .bar .majority{fill:var(--primary)}
.setpic .mark{stroke:var(--primary);stroke-width:2;stroke-linecap:round}
.setpic .page{fill:var(--surface);stroke:var(--text-muted);stroke-width:1.2;stroke-linejoin:round}
.setpic .page.expired{fill:var(--recovering-soft);stroke:var(--recovering)}
.setpic .kept{fill:var(--rollback-soft);stroke:var(--rollback);stroke-width:1.5;stroke-linejoin:round}
.setpic .count{fill:var(--text-muted);font-size:11px}
.setpic .count.bad{fill:var(--rollback);font-weight:600}
.setpic .ballot{fill:var(--paper);stroke:var(--candidate);stroke-width:1.5}
.setpic .ballot.granted{fill:var(--ok);stroke:var(--ok)}
.setpic .tick{fill:none;stroke:var(--surface);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.setpic .bubble rect,.setpic .bubble path{fill:var(--text)}
.setpic .bubble text{fill:var(--surface);stroke:none;text-anchor:middle;font-weight:600;font-size:12px}
.setpic .bubble.good rect,.setpic .bubble.good path{fill:var(--ok)}
.setpic .bubble.bad rect,.setpic .bubble.bad path{fill:var(--bad)}
.setpic .bubble.vote rect,.setpic .bubble.vote path{fill:var(--candidate)}
.setpic .way .line{stroke:var(--line-strong);stroke-width:1.5}
.setpic .way .grip{stroke:transparent;stroke-width:18;cursor:pointer}
.setpic .way.cut .line,.setpic .way.one-way .line{stroke:var(--bad);stroke-dasharray:3 6;opacity:.6}
.setpic .way.changed .line{stroke:var(--warn)}
.setpic .way.selected .line{stroke:var(--accent,var(--secondary));stroke-width:3}
.setpic .way text{text-anchor:middle;fill:var(--text-faint);font-size:11px}
.setpic .way.one-way text{fill:var(--bad);font-weight:600}
.setpic .way .block{fill:var(--bad)}
.setpic .wall{stroke:var(--bad);stroke-width:10;stroke-linecap:butt}
.setpic .mortar{stroke:var(--paper);stroke-width:10;stroke-dasharray:2 14}
.setpic .apart{fill:none;stroke:var(--bad);stroke-width:3;stroke-dasharray:5 3}
.setpic .seam{stroke:var(--paper);stroke-width:1.5}
.setpic .message{color:var(--text-muted);fill:currentColor;stroke:currentColor;stroke-width:1.5;stroke-linejoin:round}
.setpic .message.vote{color:var(--candidate)}
.setpic .message.yes{color:var(--ok)}
.setpic .message.no{color:var(--bad)}
.setpic .message.entries{color:var(--secondary)}
.setpic .message.position{color:var(--primary)}
.setpic .message.heartbeat{color:var(--text-faint);opacity:.6}
.setpic .message.reply{fill:var(--paper)}
.setpic .message.dry .body,.setpic .dry .ballot{stroke-dasharray:4 3}
.setpic .message.dry{fill:var(--candidate-soft)}
.setpic .message.reply.dry{fill:var(--paper)}
.setpic .message.lost{color:var(--bad);fill:var(--rollback-soft)}
.setpic .message.lost .body{stroke-opacity:.55}
.setpic .message .struck{fill:none;stroke-width:1.8;stroke-linecap:round}
.setpic .message.said text{fill:var(--surface);stroke:none;text-anchor:middle;font-weight:700;font-size:11.5px}
.setpic .message.reply.said text,.setpic .message.dry.said text,.setpic .message.lost.said text{fill:currentColor}
.setpic .frame{fill:none;stroke:var(--line-strong);stroke-dasharray:2 4}
.setpic .frame-label{font-weight:600;fill:var(--text-muted)}
.setpic .clock .way{fill:var(--line)}
.setpic .clock .gone{fill:var(--text-faint)}
.setpic .clock text{font-size:11.5px;font-weight:600;fill:var(--text-muted)}
.setpic .foot .caption{font-size:13px;font-weight:600}
.setpic .foot .meaning{font-size:11px;fill:var(--text-muted)}
`;
