export function load(file: string): unknown;
export function requiring(outside: NodeJS.Require, folder: string): (id: string) => unknown;
export function keepCompiled(): void;
