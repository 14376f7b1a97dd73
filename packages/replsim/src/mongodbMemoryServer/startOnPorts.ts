import { PortTakenError } from '@replsim/server';
import { InvalidOptions, ReplicaSet } from '../index.ts';
import { StdoutInstanceError } from './errors.ts';
import type { Start } from './startOptions.ts';
import { underTheirNames } from './underTheirNames.ts';

/**
 * Starts a set on the given ports, or on others if they are in use.
 * @param fixed fail instead if a port is in use
 * @throws StdoutInstanceError if a port is in use
 * @throws InvalidOptions, under mongodb-memory-server's names
 * @throws whatever `ReplicaSet.start` throws
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
      // If two members want the same port, it is the later one that failed.
      const i = wanted.lastIndexOf(error.port);
      if (i === -1) throw error;
      wanted[i] = 0;
    }
  }
}

function isTaken(error: unknown): error is PortTakenError {
  return error instanceof PortTakenError && (error.cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
