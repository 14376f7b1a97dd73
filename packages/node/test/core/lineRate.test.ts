import { describe, expect, test } from 'vitest';
import { LoneMember } from '../loneMember.ts';

const RATE = { clientLogLinesPerSecond: 3 };
const LEFT_OUT = 1;

/** A client that cannot log in. */
function knock(member: LoneMember, connection: number): void {
  const payload = 'biwsbj1tYWxsb3J5LHI9cm9wck5HZndFYmVSV2diTkVrcU8=';
  member.runOn(connection, { saslStart: 1, mechanism: 'SCRAM-SHA-1', payload: `${payload}!`, options: {} });
}

describe('lines that clients cause', () => {
  test('beyond the limit are left out, counted, and said in one line when the second is over', () => {
    const member = LoneMember.initiated(0, {}, { parameters: RATE });
    member.advance(5000);
    for (let i = 0; i < 10_000; i++) member.close(member.open());
    expect(member.logged(22943)).toHaveLength(3);
    expect(member.logged(22944)).toHaveLength(3);
    expect(member.logged(LEFT_OUT)).toEqual([]);
    member.advance(1000);
    expect(member.logged(LEFT_OUT)).toMatchObject([
      {
        severity: 'W',
        component: 'CONTROL',
        ctx: 'listener',
        attr: { perSecond: 3, lines: { 22943: 9997, 22944: 9997 } },
      },
    ]);
  });

  test('are written again in the next second', () => {
    const member = LoneMember.initiated(0, {}, { parameters: RATE });
    for (let second = 0; second < 3; second++) {
      for (let i = 0; i < 5; i++) member.open();
      member.advance(1000);
    }
    expect(member.logged(22943)).toHaveLength(9);
    expect(member.logged(LEFT_OUT).map(({ attr }) => attr.lines)).toEqual(Array(3).fill({ 22943: 2 }));
  });

  test('below the limit are all there, and nothing more is said', () => {
    const member = LoneMember.initiated(0, {}, { parameters: RATE });
    for (let second = 0; second < 3; second++) {
      for (let i = 0; i < 3; i++) member.open();
      member.advance(1000);
    }
    expect(member.logged(22943)).toHaveLength(9);
    expect(member.logged(LEFT_OUT)).toEqual([]);
  });

  test('of one kind do not displace another: who floods with connections does not hide a failed login', () => {
    const member = LoneMember.primary(0, {}, { parameters: RATE, options: { authorization: true } });
    const connection = member.open();
    for (let i = 0; i < 1000; i++) member.open();
    knock(member, connection);
    expect(member.logged(5286307)).toHaveLength(1);
  });

  test('logins that fail are limited too, and a change of the limit counts at once', () => {
    const member = LoneMember.primary(0, {}, { parameters: RATE });
    const connection = member.open();
    member.run({ createUser: 'a', pwd: 'b', roles: [] });
    const before = member.nowMs;
    for (let i = 0; i < 10; i++) knock(member, connection);
    const seconds = Math.floor((member.nowMs - before) / 1000) + 1;
    expect(member.logged(5286307).length).toBeGreaterThan(0);
    expect(member.logged(5286307).length).toBeLessThanOrEqual(3 * seconds);
    member.run({ setParameter: 1, clientLogLinesPerSecond: 0 });
    const written = member.logged(5286307).length;
    for (let i = 0; i < 10; i++) knock(member, connection);
    expect(member.logged(5286307)).toHaveLength(written + 10);
  });

  test('of debugging are all wanted', () => {
    const member = LoneMember.initiated(0, {}, { parameters: RATE });
    for (let i = 0; i < 10; i++) member.mongod.core.log('D1', 'NETWORK', 7, 'detail');
    for (let i = 0; i < 10; i++) member.mongod.core.log('I', 'REPL', 8, 'what the set does');
    const ids = member.mongod.core.logs.global.lines.map(({ line }) => line.id);
    expect([ids.filter((id) => id === 7).length, ids.filter((id) => id === 8).length]).toEqual([10, 10]);
  });
});
