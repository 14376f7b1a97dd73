import * as z from 'zod';
import type { Latency } from '../api.ts';
import { begins, type ClientChange, type ClientChoice, ClientFaults } from '../clientFaults.ts';
import { changeClients } from '../clientWay.ts';
import type { Member } from '../member.ts';
import type { Fault } from './fault.ts';
import { checkLatency } from './network.ts';
import { either, flag, networkShape, strict, target } from './shapes.ts';
import type { Target } from './targets.ts';

/** Argument of the fault `clients`: which client connections, and exactly one of `cut`, `freeze`, `delayMs` and `heal`. */
export interface ClientsFault {
  /** The members whose connections are affected. Default: all. */
  readonly on?: Target | undefined;
  /**
   * Only clients with this `appName` in their handshake, including their monitoring connections. The `appName` of a scenario's
   * workload is its name. Default: all clients.
   */
  readonly appName?: string | undefined;
  /** Clients that are not affected: `appName`s, or connection numbers as in `currentOp`. Default: none. */
  readonly except?: ClientName | readonly ClientName[] | undefined;
  /** True closes the connections, and new ones right after their handshake. False ends this. */
  readonly cut?: boolean | undefined;
  /** True reads nothing from the connections and answers nothing. False handles everything that has waited, in order. */
  readonly freeze?: boolean | undefined;
  /** Delay replies by this time: a number, or a range `[min, max]` to draw from. 0 ends this. Unit: ms of virtual time. */
  readonly delayMs?: Latency | undefined;
  /** Ends all three. */
  readonly heal?: true | undefined;
}
type ClientName = string | number;

/** The change for the clients of one member. */
export interface ClientsChanged {
  readonly type: 'clients';
  readonly member: string;
  readonly appName?: string;
  readonly except?: readonly ClientName[];
  readonly change: ClientChange;
}

const appName = z
  .string({ error: 'expected text' })
  .min(1, { error: 'expected a name; leave it out to mean all clients' });
const connectionId = z
  .int({ error: 'expected the number of a connection' })
  .min(1, { error: 'connections count from 1' });
const clientName = either('an appName or the number of a connection', [appName, connectionId]);
const CHANGES = ['cut', 'freeze', 'delayMs', 'heal'] as const;

const clients: Fault<ClientsFault, ClientsChanged> = {
  what: 'Closes, freezes or delays client connections; not those of steps, nor the methods of a set',
  shape: () =>
    strict(
      'clients',
      {
        on: target.optional().describe('At which members; default all'),
        appName: appName.optional().describe("Only clients of this appName; a workload's is its name. Default all"),
        except: either('an appName, the number of a connection, or a list of these', [
          appName,
          connectionId,
          z.array(clientName),
        ])
          .optional()
          .describe('Not these: by appName, or by the number of the connection'),
        cut: flag.optional().describe('true: connections close, new ones after their handshake; false ends it'),
        freeze: flag
          .optional()
          .describe('true: nothing is read or answered; false: everything that waited happens, in order'),
        delayMs: networkShape.latencyMs.describe('Delay of replies, in virtual time; 0 ends it'),
        heal: z.literal(true, { error: 'expected true' }).optional().describe('Ends all three'),
      },
      { workload: "a workload's appName is its name: write appName", latencyMs: 'did you mean "delayMs"?' },
    ),
  actions: ({ on = 'all', appName, except = [], ...given }, door) => {
    const kinds = CHANGES.filter((kind) => given[kind] !== undefined);
    if (kinds.length !== 1) {
      const wrong =
        kinds.length === 0 ? 'this fault of clients has no effect' : `${kinds.join(' and ')} are two faults`;
      door.mistake(
        [],
        wrong,
        kinds.length === 0 ? 'cut: true, freeze: true, delayMs: 200, or heal: true' : 'write one after the other',
      );
    }
    checkLatency(given.delayMs, ['delayMs'], door);
    const change = Object.fromEntries(kinds.map((kind) => [kind, given[kind]])) as unknown as ClientChange;
    const named = [except].flat() as ClientName[];
    const sender = appName === undefined && kinds.length === 1 && begins(change) ? door.sender : undefined;
    return door.members(['on'], on).map((member) => {
      const own =
        sender === undefined ? [] : [sender.appName ?? (sender.member === member ? sender.connectionId : [])].flat();
      const excepted = [...new Set([...named, ...own])];
      return {
        type: 'clients' as const,
        member,
        ...(appName !== undefined && { appName }),
        ...(excepted.length > 0 && { except: excepted }),
        change,
      };
    });
  },
  apply: (world, action) => {
    const member = world.member(action.member);
    const { name } = member;
    changeClients(world, member, choiceOf(member, action), action.change);
    const { appName, except, change } = action;
    const whom = { ...(appName !== undefined && { appName }), ...(except && { except }) };
    world.recorder.member(world.nowMicros, name, { type: 'clientsChanged', ...whom, ...change });
    return undefined;
  },
  say: ({ member, appName, except, change }) => ({ on: member, appName, except, ...change }),
  connections: (world, action) => {
    const member = world.member(action.member);
    const choice = choiceOf(member, action);
    return [...(member.process?.connections ?? [])].filter((each) => ClientFaults.means(choice, each)).length;
  },
};

/** Faults of the connections between clients and members. */
export const clientFaults = {
  /**
   * Closes, freezes or delays client connections, including those of drivers' monitors.
   * - `cut: true` closes them, and closes new ones as soon as their handshake has identified the client.
   * - `freeze: true` reads nothing from them and answers nothing. What they send waits; no reply is lost.
   * - `delayMs` delays replies, in virtual time.
   *
   * `false`, 0 or `heal: true` ends it, and so does the fault `heal`. Resolves with the number of connections that it applies to.
   */
  clients,
};

function choiceOf({ process }: Member, { appName, except = [] }: ClientsChanged): ClientChoice {
  const open = [...(process?.connections ?? [])];
  return {
    appName,
    exceptNames: except.filter((each) => typeof each === 'string'),
    exceptConnections: open.filter(({ connectionId: id }) => except.includes(id)),
  };
}
