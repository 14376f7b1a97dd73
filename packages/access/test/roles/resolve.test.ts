import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import type { RoleName } from '../../src/names.ts';
import { allows } from '../../src/privileges/privilege.ts';
import { namespace } from '../../src/privileges/resourcePattern.ts';
import { resolveRoles, wouldCircle } from '../../src/roles/resolve.ts';

const role = (text: string): RoleName => {
  const [name = '', db = ''] = text.split('@');
  return { role: name, db };
};

/** Roles by what they contain; each may find in the collection of its name in `app`. */
const graph: Readonly<Record<string, readonly string[]>> = {
  'top@app': ['left@app', 'right@app'],
  'left@app': ['bottom@app'],
  'right@app': ['bottom@app', 'gone@app', 'read@shop'],
  'bottom@app': [],
  'circle@app': ['around@app'],
  'around@app': ['circle@app'],
};

function findRole({ role: name, db }: RoleName): Uint8Array | undefined {
  const contained = graph[`${name}@${db}`];
  const privileges = [{ resource: { db: 'app', collection: name }, actions: ['find'] }];
  return contained && encodeDocument({ _id: `${db}.${name}`, role: name, db, privileges, roles: contained.map(role) });
}

test('roles have what those have that they contain, however deep, and each is met once', () => {
  const { roles, privileges, missing } = resolveRoles([role('top@app')], findRole);
  expect(roles.map(({ role: name }) => name)).toEqual(['top', 'left', 'right', 'bottom', 'read']);
  expect(missing).toEqual([role('gone@app')]);
  for (const name of ['top', 'left', 'right', 'bottom'])
    expect(allows(privileges, 'find', namespace(`app.${name}`))).toBe(true);
  expect(allows(privileges, 'find', namespace('shop.any'))).toBe(true);
  expect(allows(privileges, 'find', namespace('app.other'))).toBe(false);
});

test('a circle does no harm, and is foreseen', () => {
  expect(resolveRoles([role('circle@app')], findRole).roles).toHaveLength(2);
  expect(wouldCircle(role('bottom@app'), [role('top@app')], findRole)).toBe(true);
  expect(wouldCircle(role('top@app'), [role('bottom@app')], findRole)).toBe(false);
});

test('actions on one resource are united', () => {
  const { privileges } = resolveRoles([role('readWrite@app'), role('read@app'), role('dbAdmin@app')], findRole);
  expect(privileges.filter(({ resource }) => resource.kind === 'database')).toHaveLength(1);
  expect(allows(privileges, 'collMod', namespace('app.c'))).toBe(true);
});
