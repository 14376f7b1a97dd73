// Loaded into the shell: it must reach nothing but this machine.
const net = require('node:net');

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function connectToLoopback(...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  const host = options?.host ?? 'localhost';
  if (options?.path === undefined && !/^(127\.|localhost$|::1$)/.test(host)) {
    process.stderr.write(`mongosh reached for ${host}\n`);
    process.exit(99);
  }
  return connect.apply(this, args);
};
