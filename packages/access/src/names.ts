/** A user: its name, and the database that defines it. Upstream: user_name.h, UserName. */
export interface UserName {
  readonly user: string;
  readonly db: string;
}

/** A role: its name, and the database that defines it. Upstream: role_name.h, RoleName. */
export interface RoleName {
  readonly role: string;
  readonly db: string;
}

/** Members among themselves. Upstream: internal_auth.cpp, internalSecurity. */
export const SYSTEM_USER: UserName = { user: '__system', db: 'local' };

export function sameUser(a: UserName | undefined, b: UserName | undefined): boolean {
  return a?.user === b?.user && a?.db === b?.db;
}

export function sameRole(a: RoleName, b: RoleName): boolean {
  return a.role === b.role && a.db === b.db;
}

/** `name@db`, as the log and errors call a user or a role. */
export function shownName(name: UserName | RoleName): string {
  return `${'user' in name ? name.user : name.role}@${name.db}`;
}
