import type { TraceEvent } from '@replsim/protocol';
import { firstToldDifference, formatInstant, isCaredFor, Transcript } from '@replsim/scenario';

/** A line of a run's transcript. */
export interface StoryLine {
  readonly atMicros: number;
  /** Without the time. */
  readonly text: string;
  /** It tells of a state, an election, an acknowledgement or a document. */
  readonly counts: boolean;
}

/** A run in words. */
export class Story {
  readonly lines: StoryLine[] = [];
  readonly #transcript = new Transcript();

  observe(event: TraceEvent): void {
    this.#take(this.#transcript.tell(event));
  }

  end(): void {
    this.#take(this.#transcript.tellEnd());
  }

  #take(told: ReturnType<Transcript['tell']>): void {
    for (const { line: lines, event } of told)
      for (const line of lines.split('\n'))
        this.lines.push({
          atMicros: event.atMicros,
          text: line.replace(/^\s*[\d.]+s /, ''),
          counts: isCaredFor(event.type),
        });
  }
}

const WIDTH = 56;
/** More than these nobody compares by eye. */
const ROWS = 60;

/** Both stories from the first instant at which something else comes about in the sets; undefined where nothing does. */
export function sideBySide(names: readonly [string, string], one: Story, other: Story): string | undefined {
  const [mine, others] = [one, other].map(({ lines }) => lines.filter(({ counts }) => counts)) as [
    StoryLine[],
    StoryLine[],
  ];
  const index = firstToldDifference(mine, others);
  if (index === undefined) return undefined;
  const first = [mine[index], others[index]].filter((line) => line !== undefined);
  const fromMicros = Math.min(...first.map(({ atMicros }) => atMicros));
  const rows = rowsFrom(fromMicros, one.lines, other.lines);
  const more = rows.length - ROWS;
  const lines = [
    `the first ${index} lines that matter say the same; from ${formatInstant(fromMicros)} on they differ:`,
    '',
    row('', ...names),
    ...rows.slice(0, ROWS),
    ...(more > 0 ? [`and ${more} more ${more === 1 ? 'row' : 'rows'}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Rows in order of time; lines of the same millisecond share a row. */
function rowsFrom(fromMicros: number, one: readonly StoryLine[], other: readonly StoryLine[]): string[] {
  const [mine, others] = [one, other].map((lines) => lines.filter(({ atMicros }) => atMicros >= fromMicros)) as [
    StoryLine[],
    StoryLine[],
  ];
  const rows: string[] = [];
  while (mine.length > 0 || others.length > 0) {
    const times = [mine, others].map(([next]) => next && formatInstant(next.atMicros));
    const isFirst =
      (mine[0]?.atMicros ?? Number.POSITIVE_INFINITY) <= (others[0]?.atMicros ?? Number.POSITIVE_INFINITY);
    const both = times[0] === times[1];
    const left = both || isFirst ? mine.shift()?.text : undefined;
    const right = both || !isFirst ? others.shift()?.text : undefined;
    rows.push(row((isFirst ? times[0] : times[1]) ?? '', left ?? '', right ?? ''));
  }
  return rows;
}

function row(time: string, left: string, right: string): string {
  const cut = (text: string) => (text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text);
  return `${time.padStart(10)}  ${cut(left).padEnd(WIDTH)}  ${cut(right)}`.trimEnd();
}
