import { Fields } from '@replsim/pipeline';
import type { RoleName } from '../names.ts';
import { type Privilege, united } from '../privileges/privilege.ts';
import { storedPrivileges, storedRoles } from '../privileges/privilegeDocument.ts';
import { builtInPrivileges } from './builtInRoles.ts';

/** What roles come to, taken together. */
export interface ResolvedRoles {
  /** Those asked for that there are, and those that they contain; each once. */
  readonly roles: readonly RoleName[];
  /** Each resource once. */
  readonly privileges: readonly Privilege[];
  /** Those of the user-defined ones, as they are stored. */
  readonly documents: readonly Uint8Array[];
  /** Roles that somebody has though there is no such role. */
  readonly missing: readonly RoleName[];
}

/** The document of a user-defined role; undefined if there is none. */
export type FindRole = (name: RoleName) => Uint8Array | undefined;

/**
 * Follows roles to those that they contain. A role that is no more is left out, and circles do no harm.
 * Upstream: authorization_backend_local.cpp, resolveRoles.
 */
export function resolveRoles(asked: readonly RoleName[], findRole: FindRole): ResolvedRoles {
  const seen = new Set<string>();
  const roles: RoleName[] = [];
  const privileges: Privilege[] = [];
  const documents: Uint8Array[] = [];
  const missing: RoleName[] = [];
  const waiting = [...asked];
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const key = `${name.db}.${name.role}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const builtIn = builtInPrivileges(name);
    const document = builtIn ? undefined : findRole(name);
    if (!builtIn && !document) {
      missing.push(name);
      continue;
    }
    roles.push({ role: name.role, db: name.db });
    if (builtIn) privileges.push(...builtIn);
    if (!document) continue;
    documents.push(document);
    const fields = new Fields(document, 'role');
    privileges.push(...storedPrivileges(fields));
    waiting.push(...storedRoles(fields));
  }
  return { roles, privileges: united(privileges), documents, missing };
}

/** Whether a role would contain itself if it contained `added`. Upstream: role_graph, isCircular. */
export function wouldCircle(role: RoleName, added: readonly RoleName[], findRole: FindRole): boolean {
  return resolveRoles(added, findRole).roles.some((each) => each.role === role.role && each.db === role.db);
}
