import { Template } from './placeholder.ts';

/** `db.collection` at its first dot. */
export function splitNamespace(namespace: string): [db: string, collection: string] {
  const dot = namespace.indexOf('.');
  return [namespace.slice(0, dot), namespace.slice(dot + 1)];
}

/** A command with the database it is for, as drivers send it. */
export function withDb(command: Template, db: string): Template {
  return command.value.has('$db') ? command : new Template(new Map([...command.value, ['$db', db]]));
}
