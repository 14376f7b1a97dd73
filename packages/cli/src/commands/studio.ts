import { existsSync, statSync } from 'node:fs';
import { shown } from '../files.ts';
import { ExitCodes, type Io } from '../io.ts';
import { Door } from '../studio/door.ts';
import { pageOf } from '../studio/page.ts';
import { Shelf } from '../studio/shelf.ts';
import { ShelfRoom } from '../studio/shelfRoom.ts';
import { changedFiles } from '../watching/changedFiles.ts';

/** Where scenarios lie if nobody says. */
const FOLDER = 'scenarios';

export interface StudioOptions {
  /** Default: one that is free. */
  readonly port?: number;
}

/** `replsim studio`: serves the page, and the scenarios that it may open and save, until it is interrupted. */
export async function studioCommand(given: string | undefined, { port = 0 }: StudioOptions, io: Io): Promise<number> {
  const path = given ?? (existsSync(FOLDER) ? FOLDER : undefined);
  const shelf = new Shelf(path);
  const room = new ShelfRoom(shelf);
  const door = await Door.open({ page: pageOf(io), room, port });
  try {
    // Of nothing at all the watcher is never ready.
    const files =
      path === undefined ? undefined : await changedFiles([path], (_, file) => room.announce(shelf.pathOf(file)));
    try {
      io.out(`${door.address}\n`);
      io.out(`${whatIsOpen(path)}\n`);
      io.out('for this machine only; anyone who has the whole address can save files. Press Ctrl-C to stop\n');
      await new Promise<void>((resolve) => io.onInterrupt?.(resolve));
    } finally {
      await files?.close();
    }
  } finally {
    await door.close();
  }
  return ExitCodes.ok;
}

function whatIsOpen(path: string | undefined): string {
  if (path === undefined) return `no folder ${FOLDER} here: the page has lessons, and scenarios of its own`;
  return `${statSync(path).isDirectory() ? 'the scenarios of ' : ''}${shown(path)}, played again when saved on disk`;
}
