import type { Collection, Db, Document, MongoClient, ObjectId } from 'mongodb';

export interface Thing extends Document {
  _id: number | string | ObjectId;
}

/** A collection and a database that no other row has, on a served set of three. */
export interface Application {
  readonly client: MongoClient;
  readonly db: Db;
  readonly admin: Db;
  readonly things: Collection<Thing>;
}

/** A line of docs/compatibility.md, and what holds it. */
export interface Row {
  /** What an application asks for, as the page says it. */
  readonly feature: string;
  /** What one should know besides. */
  readonly note?: string;
  readonly ask: (application: Application) => Promise<unknown> | readonly Promise<unknown>[];
  /** What comes of it, or what each error says that it is refused with. */
  readonly gives: unknown;
  readonly refused?: { readonly code: number; readonly codeName: string };
}

/** It works, and this comes of it. */
export const works = (feature: string, ask: Row['ask'], gives: unknown, note?: string): Row => ({
  feature,
  ask,
  gives,
  ...(note !== undefined && { note }),
});

/** It is refused with this code, and the message says this. */
export const refused = (
  feature: string,
  code: number,
  codeName: string,
  says: RegExp,
  ask: Row['ask'],
  note?: string,
): Row => ({ feature, ask, gives: says, refused: { code, codeName }, ...(note !== undefined && { note }) });
