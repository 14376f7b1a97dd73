import { CommandError } from '@replsim/protocol';
import { InvalidScenario, parseScenario } from '@replsim/scenario';
import { seeData } from './data.ts';
import { seeExpiry } from './expiry.ts';
import { Glance } from './glance.ts';
import type { Look, Seen } from './look.ts';
import { seeStatus } from './status.ts';

/** The run that is looked into. */
export interface LookedAt {
  readonly text: string;
  readonly seed: number;
  /** Behind checks that fail. */
  readonly playsOn: boolean;
}

/** Answers looks into a run, one after the other; the instant that was looked at last is kept for the next one. */
export class Looker {
  #kept:
    | { readonly run: LookedAt; readonly atMicros: number; readonly glance: Promise<Glance | undefined> }
    | undefined;

  /** @returns undefined where the run has no set that could be asked */
  async look(run: LookedAt, look: Look): Promise<Seen | undefined> {
    const glance = await this.#glanceAt(run, look.atMicros);
    if (!glance) return undefined;
    switch (look.kind) {
      case 'data':
        return seeData(glance, look.ns);
      case 'status':
        return seeStatus(glance, look.member);
      case 'expiry':
        return seeExpiry(glance);
    }
  }

  #glanceAt(run: LookedAt, atMicros: number): Promise<Glance | undefined> {
    const kept = this.#kept;
    if (kept && kept.atMicros === atMicros && isSameRun(kept.run, run)) return kept.glance;
    kept?.glance.then(
      (last) => last?.close(),
      () => {},
    );
    const glance = glanceAt(run, atMicros);
    this.#kept = { run, atMicros, glance };
    return glance;
  }
}

function isSameRun(one: LookedAt, other: LookedAt): boolean {
  return one.text === other.text && one.seed === other.seed && one.playsOn === other.playsOn;
}

/** A text with mistakes has no run, and a set that refuses to start has nobody to ask. */
async function glanceAt({ text, seed, playsOn }: LookedAt, atMicros: number): Promise<Glance | undefined> {
  try {
    return await Glance.at(parseScenario(text, 'scenario.yaml'), { seed, playsOn }, atMicros);
  } catch (error) {
    if (error instanceof InvalidScenario || error instanceof CommandError) return undefined;
    throw error;
  }
}
