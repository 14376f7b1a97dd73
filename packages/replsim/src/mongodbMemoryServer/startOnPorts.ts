import { PortTakenError } from '@replsim/server';
import { InvalidOptions, ReplicaSet } from '../index.ts';
import { StdoutInstanceError } from './errors.ts';
import type { Start } from './startOptions.ts';
import { underTheirNames } from './underTheirNames.ts';

/**
 * Starts a set on its ports, or where they are taken on others.
 * @param fixed these ports or none
 * @throws StdoutInstanceError for a port that is taken; InvalidOptions, under the names of mongodb-memory-server; what `ReplicaSet.start` throws
 */
export async function startOnPorts({ who, options, ports }: Start, fixed: boolean): Promise<ReplicaSet> {
  const wanted = [...ports];
  for (;;) {
    const members = options.members.map((member, i) => ({ ...member, port: wanted[i] ?? 0 }));
    try {
      return await ReplicaSet.start({ ...options, members });
    } catch (error) {
      if (!isTaken(error)) throw error instanceof InvalidOptions ? underTheirNames(error, who) : error;
      if (fixed) throw new StdoutInstanceError(`Port "${error.port}" already in use`, { cause: error });
      // Of two members that want the same one it is the later that came too late.
      const i = wanted.lastIndexOf(error.port);
      if (i === -1) throw error;
      wanted[i] = 0;
    }
  }
}

function isTaken(error: unknown): error is PortTakenError {
  return error instanceof PortTakenError && (error.cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
