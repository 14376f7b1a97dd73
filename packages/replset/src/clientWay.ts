import type { ClientChange, ClientChoice, FaultyClient } from './clientFaults.ts';
import { callDue } from './due.ts';
import type { Member } from './member.ts';
import type { World } from './world.ts';

/** The way between one client and one member, on which faults of clients act. */
export interface ClientWay {
  readonly member: string;
  readonly client: FaultyClient;
  /** As the trace calls it. */
  readonly name: string;
}

/** Hands over what a client has sent: at once, or when nothing freezes it any more. @param lost the connection is closed before that */
export function carryIn(
  world: World,
  { member, client }: ClientWay,
  deliver: () => void,
  lost: () => void = () => {},
): void {
  const { clientFaults } = world;
  if (clientFaults.freezes(member, client)) clientFaults.wait({ member, client, goOn: deliver, lost });
  else deliver();
}

/** Hands over a reply: at once, later, or when nothing freezes the client any more. @param lost the connection is closed before that */
export function carryBack(world: World, way: ClientWay, deliver: () => void, lost: () => void): void {
  const { clientFaults } = world;
  const { member, client } = way;
  const delayMicros = clientFaults.delayMicros(member, client);
  if (delayMicros === 0) return carryIn(world, way, deliver, lost);
  const arrive = () => (clientFaults.cuts(member, client) ? lost() : carryIn(world, way, deliver, lost));
  world.schedule(delayMicros, callDue(way.name, 'reply', arrive));
}

/** Something changes for the clients of a member: who is cut off loses the connection, and who is free again goes on. */
export function changeClients(world: World, member: Member, choice: ClientChoice, change: ClientChange): void {
  world.clientFaults.change(member.name, choice, change);
  closeCut(world, member);
  letGo(world);
}

/** All that was done to clients of these members is undone. */
export function healClients(world: World, members: readonly Member[]): void {
  for (const { name } of members) world.clientFaults.change(name, EVERYBODY, { heal: true });
  letGo(world);
}

const EVERYBODY: ClientChoice = { exceptNames: [], exceptConnections: [] };

/** Clients beside the set have requests rather than connections. */
function closeCut(world: World, { process, name, host }: Member): void {
  if (process === undefined) return;
  const { clientFaults } = world;
  for (const connection of [...process.connections]) if (clientFaults.cuts(name, connection)) connection.hangUp();
  for (const [requestId, asker] of [...process.clients]) {
    if (asker.client === undefined || !clientFaults.cuts(name, asker.client)) continue;
    process.clients.delete(requestId);
    asker.close(closedText(host), world.nowMicros);
  }
}

function letGo(world: World): void {
  for (const { process } of world.members) for (const each of process?.connections ?? []) each.look();
  world.clientFaults.letGo();
}

/** What a client is told whose connection the other side has closed. */
export function closedText(host: string): string {
  return `${host}: connection closed by peer`;
}
