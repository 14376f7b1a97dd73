import * as z from 'zod';
import type { Latency } from '../api.ts';
import { begins, type ClientChange, type ClientChoice, ClientFaults } from '../clientFaults.ts';
import { changeClients } from '../clientWay.ts';
import type { Member } from '../member.ts';
import type { Fault } from './fault.ts';
import { checkLatency } from './network.ts';
import { either, flag, networkShape, strict, target } from './shapes.ts';
import type { Target } from './targets.ts';

/** What befalls the way between clients and members: one of `cut`, `freeze`, `delayMs` and `heal`. */
export interface ClientsFault {
  /** At which members; all if absent. */
  readonly on?: Target | undefined;
  /** Only clients whose handshake says this `appName`, monitors among them; of a scenario's workloads, their name. All if absent. */
  readonly appName?: string | undefined;
  /** Not these: by `appName`, or by the number of the connection, as `currentOp` has it. */
  readonly except?: ClientName | readonly ClientName[] | undefined;
  /** true: connections are closed, and so are new ones after their handshake; false undoes it. */
  readonly cut?: boolean | undefined;
  /** true: nothing is read from the sockets and nothing is answered; false: all that has waited happens now, in order. */
  readonly freeze?: boolean | undefined;
  /** Replies reach the client so much later: always so much, or drawn from the least to the greatest; 0 undoes it. */
  readonly delayMs?: Latency | undefined;
  /** Undoes all three. */
  readonly heal?: true | undefined;
}
type ClientName = string | number;

/** What changes for the clients of one member. */
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
  what: 'Closes, freezes or slows down the connections of clients; steps of a scenario and the methods of a set pass',
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
        cut: flag.optional().describe('true: connections close, new ones after their handshake; false: no longer'),
        freeze: flag
          .optional()
          .describe('true: nothing is read from or answered to them; false: all goes on, in order'),
        delayMs: networkShape.latencyMs.describe('Replies come so much later, in virtual time; 0: no longer'),
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

/** What befalls clients outside on their way to members. */
export const clientFaults = {
  /**
   * What befalls the connections of clients, those of their monitors too, at some members: one of `cut`, `freeze`, `delayMs`, or `heal`.
   * `cut: true` closes them, and new ones as soon as their handshake has said who they are. `freeze: true` reads nothing from them and
   * answers nothing; what they send waits, and no reply is lost. `delayMs` lets replies arrive so much later, in virtual time. `false`,
   * 0 or `heal: true` undoes it, and so does the fault `heal`.
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
