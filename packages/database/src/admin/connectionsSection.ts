import { MAX_CONNECTIONS } from '@replsim/operations';
import type { Reply } from '@replsim/pipeline';
import type { ClientServices } from '../member.ts';

/**
 * `connections` of serverStatus. A command that came on no connection counts as one for as long as it lasts.
 * Upstream: server_status_servers.cpp, Connections.
 */
export function connectionsSection(member: ClientServices): Reply {
  const { connections } = member;
  const atWork = [...member.operations()].filter(({ desc }) => desc.startsWith('conn'));
  const awaiting = atWork.filter(({ waitingFor }) => waitingFor === 'topologyChange').length;
  const current = connections.size + atWork.filter(({ connection }) => !connection).length;
  const streaming = (what: 'hello' | 'isMaster') => [...connections].filter(({ streams }) => streams === what).length;
  return {
    current,
    available: MAX_CONNECTIONS - current,
    totalCreated: connections.totalCreated,
    rejected: 0,
    active: atWork.length - awaiting,
    threaded: current,
    exhaustIsMaster: BigInt(streaming('isMaster')),
    exhaustHello: BigInt(streaming('hello')),
    awaitingTopologyChanges: BigInt(awaiting),
    loadBalanced: 0n,
  };
}
