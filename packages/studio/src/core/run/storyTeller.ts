import type { TraceEvent } from '@replsim/protocol';
import { type ToldLine, Transcript } from '@replsim/scenario';
import type { StoryLine } from './player.ts';
import { storyKindOf } from './storyKind.ts';

/** `  60.001s n1 ttl pass: …`: the time, and what may be a member. */
const LINE = /^\s*(\d+)\.(\d{3})s (([^ :]+).*)$/s;

/**
 * The transcript, line by line with the instant in the run. A line says milliseconds and may have been held back: its instant is that of
 * the last event of its millisecond, so that whoever goes there sees what the line tells.
 */
export class StoryTeller {
  readonly #transcript = new Transcript();
  readonly #events: readonly TraceEvent[];
  #members: ReadonlySet<string> = new Set();

  /** @param events all of the run so far, those that are shown to it among them */
  constructor(events: readonly TraceEvent[]) {
    this.#events = events;
  }

  observe(event: TraceEvent): StoryLine[] {
    if (event.type === 'runStarted') this.#members = new Set(event.members);
    return this.#storyLines(this.#transcript.tell(event));
  }

  /** What was held back to the end. */
  end(): StoryLine[] {
    return this.#storyLines(this.#transcript.tellEnd());
  }

  #storyLines(told: readonly ToldLine[]): StoryLine[] {
    return told.flatMap(({ line: lines, event, number }) =>
      lines.split('\n').map((line) => this.#storyLine(line, event, number)),
    );
  }

  #storyLine(line: string, event: TraceEvent, number: number): StoryLine {
    const [, seconds, millis, text = line, member = ''] = LINE.exec(line) ?? [];
    const nextMillis = seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000 + Number(millis) + 1;
    const events = this.#eventsBefore(nextMillis * 1000);
    const atMicros = this.#events[events - 1]?.atMicros ?? 0;
    const about = { kind: storyKindOf(event), turn: this.#turnOf(number) };
    return { atMicros, ...about, text, ...(this.#members.has(member) && { member }), events };
  }

  /** How many had happened before an instant; those of a line are among the last. */
  #eventsBefore(micros: number): number {
    let count = this.#events.length;
    while (count > 0 && this.#events[count - 1]!.atMicros >= micros) count--;
    return count;
  }

  /** What the event with this number came of: the last turn or input before it. */
  #turnOf(number: number): number {
    for (let i = number; i >= 0; i--) {
      const event = this.#events[i];
      if (event?.type === 'turn' || event?.type === 'clientTurn' || event?.type === 'input') return event.turn;
    }
    return 0;
  }
}
