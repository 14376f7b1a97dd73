<?php
// A replica set for PHPUnit or plain PHP. Tested with PHP 8.2 and the extension 1.15 of Debian 12, at speed 1 and at speed 0.

/** A set that `replsim serve` runs. The variable REPLSIM says where the program is. */
final class ReplicaSet
{
    public readonly string $uri;
    private readonly string $address;
    private $process;

    public function __construct(string ...$options)
    {
        $program = getenv('REPLSIM') ?: 'node_modules/.bin/replsim';
        $command = [$program, 'serve', '--port', '0', '--control', '0', '--json', '--quiet', '--exit-with-parent', ...$options];
        $this->process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
        $serving = fgets($pipes[1]);
        if (fgets($pipes[1]) === false) { // the second line says that there is a primary
            throw new RuntimeException('replsim serve has ended; it says why on stderr');
        }
        ['uri' => $this->uri, 'control' => $this->address] = json_decode($serving, true);
    }

    /** Any request of docs/serve.md: `control('fault', ['kill' => 'primary'])`. Without a body it is a GET. */
    public function control(string $verb, mixed $body = null): array
    {
        $post = ['method' => 'POST', 'header' => 'Content-Type: application/json', 'content' => json_encode($body)];
        $http = ['ignore_errors' => true] + ($body === null ? [] : $post);
        $answer = file_get_contents("$this->address/$verb", false, stream_context_create(['http' => $http]));
        $reply = json_decode($answer, true);
        return $reply['ok'] === 1 ? $reply : throw new RuntimeException("$verb: {$reply['errmsg']}");
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }
}
