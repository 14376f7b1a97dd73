import { CommandError, decodePromoted, encodeReply, firstKey, required } from '@replsim/protocol';
import type { FaultSender } from '@replsim/replset';
import { checkedSpeed } from '../clock/speed.ts';
import { checkAsked } from './askedOptions.ts';
import { durationMicros } from './durations.ts';
import { type Breakable, leavesPrimaryBehind, playFault } from './faultCommand.ts';
import { shownValue } from './shownValue.ts';
import type { StepDownOptions } from './stepDownOptions.ts';

/** The set behind the door. */
export interface Commanded extends Breakable {
  readonly pacer: { speed: number };
  advance(micros: number): Promise<number>;
  untilPrimary(withinMicros?: number, other?: string): Promise<string>;
  untilTtlPass(withinMicros?: number): Promise<void>;
  stepDown(options: StepDownOptions): Promise<string>;
  status(): object;
  ledger(): object;
}

type Handler = (
  served: Commanded,
  args: Record<string, unknown>,
  sender: FaultSender | undefined,
) => Promise<Record<string, unknown>>;

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
  replsimStepDown: async (served, { secs, secondaryCatchUpPeriodSecs, force }) => {
    const given = Object.entries({ secs, secondaryCatchUpPeriodSecs, force }).filter(
      ([, value]) => value !== undefined,
    );
    return { primary: await served.stepDown(Object.fromEntries(given)) };
  },
  replsimFault: async (served, { replsimFault, untilPrimary, within }, sender) => {
    const wanted = untilPrimaryOf(untilPrimary, within);
    const other = wanted && leavesPrimaryBehind(served, replsimFault) ? served.primary : undefined;
    const answer = await playFault(served, replsimFault, { sender });
    if (!wanted) return { ...answer };
    return { ...answer, primary: await served.untilPrimary(wanted.withinMicros, other) };
  },
  replsimSpeed: async ({ pacer }, { replsimSpeed }) => {
    const was = pacer.speed;
    pacer.speed = speedOf(replsimSpeed);
    return { was };
  },
  replsimStatus: async (served) => ({ ...served.status() }),
  replsimLedger: async (served) => {
    await served.advance(0);
    return { ...served.ledger() };
  },
};

const NAMES = new Set(Object.keys(HANDLERS));

/** What they take beside their own name. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  replsimUntilPrimary: ['within', 'other'],
  replsimUntilTtlPass: ['within'],
  replsimFault: ['untilPrimary', 'within'],
  replsimStepDown: ['secs', 'secondaryCatchUpPeriodSecs', 'force'],
};

/** Drivers add fields to every command. Upstream: generic_argument.idl. */
const GENERIC = new Set([
  'lsid',
  'comment',
  'maxTimeMS',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'txnNumber',
]);

function ofCommand(args: object): object {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !name.startsWith('$') && !GENERIC.has(name)));
}

/** Whether a command is for the door and not for the member behind it. */
export function isDoorCommand(command: Uint8Array): boolean {
  return NAMES.has(firstKey(command));
}

/** The reply to somebody who may not manage the host of a member with access control. */
export function notAuthorized(command: Uint8Array): Uint8Array {
  const name = firstKey(command);
  const errmsg = `${name} needs the action setParameter on the cluster, which the role hostManager has`;
  return encodeReply(errorReply(new CommandError('Unauthorized', errmsg)));
}

/** Answers the commands that no mongod knows. */
export class AdminDoor {
  readonly #served: Commanded;

  constructor(served: Commanded) {
    this.#served = served;
  }

  /**
   * @param sender on whose connection the command came
   * @returns the whole reply, BSON; a mistake is a reply too
   */
  async run(command: Uint8Array, sender?: FaultSender): Promise<Uint8Array> {
    try {
      const name = firstKey(command);
      const handler = required(HANDLERS[name], 'command of the door by that name');
      const args = decodePromoted(command);
      if (args.$db !== 'admin') {
        throw new CommandError('Unauthorized', `${name} is for the admin database`);
      }
      checkAsked(name, ofCommand(args), [name, ...(OPTIONS[name] ?? [])]);
      return encodeReply({ ...(await handler(this.#served, args, sender)), ok: 1 });
    } catch (error) {
      return encodeReply(errorReply(error));
    }
  }
}

/** Whether the reply waits for a primary, and how long. */
function untilPrimaryOf(untilPrimary: unknown, within: unknown): { readonly withinMicros?: number } | undefined {
  if (untilPrimary !== undefined && typeof untilPrimary !== 'boolean')
    throw new CommandError('BadValue', `untilPrimary must be true or false, not ${shownValue(untilPrimary)}`);
  if (untilPrimary !== true && within !== undefined)
    throw new CommandError('BadValue', 'within limits how long untilPrimary waits: add untilPrimary: true');
  if (untilPrimary !== true) return undefined;
  return within === undefined ? {} : { withinMicros: durationMicros('within', within) };
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
