// Stands for the program `replsim`: the test that starts a program in another language runs `replsim serve` itself, with the arguments after the
// first, and its output comes over a socket at the port that is the first. To load the sources anew for each set would take most of the time.
import { createConnection } from 'node:net';

const [, , port, ...args] = process.argv;
const socket = createConnection(Number(port), '127.0.0.1');
socket.write(`${JSON.stringify(args)}\n`);
socket.pipe(process.stdout);
socket.on('close', () => process.exit());
process.on('SIGTERM', () => socket.end());
