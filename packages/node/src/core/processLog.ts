import { buildInfoReply } from '@replsim/database';
import { recordedOptions } from './commandLine.ts';
import type { Core } from './core.ts';

/** What every mongod says first, before its parts speak. Upstream: mongod_main.cpp, logProcessDetails. */
export function logStart(core: Core): void {
  const { host } = core.options;
  const port = Number(host.split(':')[1]);
  const say = (id: number, msg: string, attr: Readonly<Record<string, unknown>>): void =>
    core.log('I', 'CONTROL', id, msg, attr, 'initandlisten');
  const { version, gitVersion, modules, allocator } = buildInfoReply(core.traits);
  say(4615611, 'MongoDB starting', {
    pid: 1,
    port,
    dbPath: '/data/db',
    architecture: '64-bit',
    host: host.split(':')[0],
  });
  say(23403, 'Build Info', {
    buildInfo: { version, gitVersion, modules, allocator, environment: { distmod: 'replsim' } },
  });
  say(51765, 'Operating System', { os: { name: 'simulated', version: '' } });
  say(21951, 'Options set by command line', { options: recordedOptions(core.options) });
}

/** The process answers from here on; tools wait for this line. Upstream: transport_layer. */
export function logListening(core: Core): void {
  const port = Number(core.options.host.split(':').at(-1));
  core.log('I', 'NETWORK', 23016, 'Waiting for connections', { port, ssl: 'off' }, 'listener');
}

/** SIGTERM came in. Upstream: signal_handlers.cpp. */
export function logSignal(core: Core): void {
  core.log('I', 'CONTROL', 23377, 'Received signal', { signal: 15, error: 'Terminated' }, 'SignalHandler');
  core.log('I', 'CONTROL', 23381, 'Will terminate after the current command ends', {}, 'SignalHandler');
}

/** The last words of a process that ends by itself. Upstream: exit.cpp, and log_util's shutdown. */
export function logEnd(core: Core, exitCode: number): void {
  core.log('I', 'CONTROL', 20565, 'Now exiting', {}, 'SignalHandler');
  core.log('I', 'CONTROL', 23138, 'Shutting down', { exitCode }, 'SignalHandler');
}
