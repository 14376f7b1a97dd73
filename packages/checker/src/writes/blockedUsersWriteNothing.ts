import { type OplogOperation, TransactionChain } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

const WRITE_BLOCK_NS = 'config.user_writes_critical_sections';

/**
 * While `setUserWriteBlockMode` stands in the data of a member, it writes no entry of its own about a database that is a
 * user's: no client's write, no DDL, no TTL delete. What others wrote before is fetched and applied.
 * Source: user_write_block_mode_op_observer.cpp.
 */
export function blockedUsersWriteNothing(): Checker {
  /** Members in whose oplog the block was written and not lifted; a member that restarts, or goes back, is not known. */
  const blocked = new Set<string>();
  const chains = new Map<string, TransactionChain>();

  return {
    name: 'blockedUsersWriteNothing',
    events: ['processStarted', 'rolledBack', 'initialSync', 'oplogWritten'],
    observe(event) {
      if (event.type !== 'oplogWritten') {
        if (event.type === 'processStarted' || event.type === 'rolledBack' || event.type === 'initialSync') {
          blocked.delete(event.member);
          chains.delete(event.member);
        }
        return undefined;
      }
      const { member, origin } = event;
      let chain = chains.get(member);
      if (chain === undefined) {
        chain = new TransactionChain();
        chains.set(member, chain);
      }
      let broken: string | undefined;
      for (const entry of event.entries) {
        for (const operation of chain.operationsOf(entry)) {
          if (operation.ns === WRITE_BLOCK_NS) {
            if (operation.op === 'i') blocked.add(member);
            else if (operation.op === 'd') blocked.delete(member);
          } else if (origin === 'self' && blocked.has(member) && isOfUser(operation))
            broken ??= `${member} wrote ${operation.op} ${operation.ns}, though user writes are blocked`;
        }
      }
      return broken;
    },
  };
}

function isOfUser({ op, ns }: OplogOperation): boolean {
  return op !== 'n' && !/^(admin|config|local)\./.test(ns);
}
