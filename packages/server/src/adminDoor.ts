import { CommandError, decodePromoted, encodeDocument, firstKey, required } from '@replsim/protocol';
import { durationMicros } from './durations.ts';
import { type Breakable, playFault } from './faultCommand.ts';
import { checkedSpeed } from './speed.ts';

/** The set behind the door. */
export interface Commanded extends Breakable {
  readonly pacer: { speed: number };
  advance(micros: number): Promise<number>;
  untilPrimary(withinMicros?: number, other?: string): Promise<string>;
  untilTtlPass(withinMicros?: number): Promise<void>;
  stepDown(options: StepDownOptions): Promise<string>;
  status(): object;
}

/** As `rs.stepDown()` has them. */
export interface StepDownOptions {
  /** How long the old primary may not be elected again. */
  readonly secs?: number;
  readonly secondaryCatchUpPeriodSecs?: number;
  readonly force?: boolean;
}

type Handler = (served: Commanded, args: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** Commands that turn the clock or break something; any member takes them, on `admin`, while it runs. Ours, not MongoDB's. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  replsimAdvance: async (served, { replsimAdvance }) => {
    const nowMicros = await served.advance(durationMicros('replsimAdvance', replsimAdvance));
    return { nowMicros };
  },
  replsimUntilPrimary: async (served, { within, other }) => ({
    primary: await served.untilPrimary(
      within === undefined ? undefined : durationMicros('within', within),
      other === undefined ? undefined : String(other),
    ),
  }),
  replsimUntilTtlPass: async (served, { within }) => {
    await served.untilTtlPass(within === undefined ? undefined : durationMicros('within', within));
    return { primary: served.primary };
  },
  replsimStepDown: async (served, { secs = 60, secondaryCatchUpPeriodSecs, force }) => ({
    primary: await served.stepDown({
      secs: ofType('number', 'secs', secs),
      ...(secondaryCatchUpPeriodSecs !== undefined && {
        secondaryCatchUpPeriodSecs: ofType('number', 'secondaryCatchUpPeriodSecs', secondaryCatchUpPeriodSecs),
      }),
      ...(force !== undefined && { force: ofType('boolean', 'force', force) }),
    }),
  }),
  replsimFault: async (served, { replsimFault }) => {
    await playFault(served, replsimFault);
    return {};
  },
  replsimSpeed: async ({ pacer }, { replsimSpeed }) => {
    const was = pacer.speed;
    pacer.speed = speedOf(replsimSpeed);
    return { was };
  },
  replsimStatus: async (served) => ({ ...served.status() }),
};

const NAMES = new Set(Object.keys(HANDLERS));

/** Whether a command is for the door and not for the member behind it. */
export function isDoorCommand(command: Uint8Array): boolean {
  return NAMES.has(firstKey(command));
}

/** Answers the commands that no mongod knows. */
export class AdminDoor {
  readonly #served: Commanded;

  constructor(served: Commanded) {
    this.#served = served;
  }

  /** @returns the whole reply, BSON; a mistake is a reply too */
  async run(command: Uint8Array): Promise<Uint8Array> {
    try {
      const name = firstKey(command);
      const handler = required(HANDLERS[name], 'command of the door by that name');
      const args = decodePromoted(command);
      if (args.$db !== 'admin') {
        throw new CommandError('Unauthorized', `${name} is for the admin database`);
      }
      return encodeDocument({ ...(await handler(this.#served, args)), ok: 1 });
    } catch (error) {
      return encodeDocument(errorReply(error));
    }
  }
}

interface Types {
  readonly number: number;
  readonly boolean: boolean;
}

function ofType<Type extends keyof Types>(type: Type, name: string, value: unknown): Types[Type] {
  if (typeof value === type) return value as Types[Type];
  throw new CommandError('TypeMismatch', `${name} must be a ${type}, not ${JSON.stringify(value)}`);
}

function speedOf(value: unknown): number {
  try {
    return checkedSpeed(value, 'replsimSpeed');
  } catch (error) {
    throw new CommandError('BadValue', (error as RangeError).message);
  }
}

function errorReply(error: unknown): object {
  if (error instanceof CommandError) {
    const { code, codeName, message } = error;
    return { ok: 0, errmsg: message, code, codeName };
  }
  // What a caller asked for did not come about: no primary in time, no such option.
  return { ok: 0, errmsg: error instanceof Error ? error.message : String(error), code: 8, codeName: 'UnknownError' };
}
