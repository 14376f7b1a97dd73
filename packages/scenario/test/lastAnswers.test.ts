import type { ReplicaSetApi } from '@replsim/replset';
import { expect, test } from 'vitest';
import { LastAnswers } from '../src/checks/lastAnswers.ts';
import { type Filling, hole, Template } from '../src/file/placeholder.ts';
import type { Check } from '../src/scenario.ts';

const check: Check = { parts: [] } as unknown as Check;
const other: Check = { ...check };
const COMMAND = new Template(new Map([['ping', 1]]));
const MOVING = new Template(new Map([['ping', hole(() => 1)]]));
const filling = {} as Filling;

/** A set of two that counts who was asked. */
function asked() {
  const changes: Record<string, number> = { n1: 0, n2: 0 };
  const log: string[] = [];
  const set = {
    get changes() {
      return Object.values(changes).reduce((sum, each) => sum + each, 0);
    },
    status: (member: string) => ({ changes: changes[member] }),
    ask(member: string) {
      log.push(member);
      return new Uint8Array();
    },
  } as unknown as ReplicaSetApi;
  const answers = new LastAnswers(set);
  const look = (made: Check, command = COMMAND) => {
    log.length = 0;
    answers.begin(made);
    for (const member of ['n1', 'n2']) answers.ask(member, command, filling);
    return log.join(' ');
  };
  return { look, change: (member: string) => changes[member]!++ };
}

test('only those to whom something has happened are asked again', () => {
  const { look, change } = asked();
  change('n1');
  expect(look(check)).toBe('n1 n2');
  change('n2');
  expect(look(check)).toBe('n2');
  change('n1');
  expect(look(check)).toBe('n1');
});

test('where nothing has happened, time has passed: all are', () => {
  const { look, change } = asked();
  change('n1');
  look(check);
  expect(look(check)).toBe('n1 n2');
});

test('another check asks for itself, and what moves with the time is always asked', () => {
  const { look, change } = asked();
  change('n1');
  look(check);
  change('n1');
  expect(look(other)).toBe('n1 n2');
  change('n1');
  expect(look(other, MOVING)).toBe('n1 n2');
  change('n1');
  expect(look(other, MOVING)).toBe('n1 n2');
});
