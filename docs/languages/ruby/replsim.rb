# A replica set for minitest or RSpec. Tested with Ruby 3.1 and the driver 2.5 of Debian 12, at speed 1 and at speed 0.
require 'json'
require 'net/http'

# A set that `replsim serve` runs. The variable REPLSIM says where the program is.
class ReplicaSet
  attr_reader :uri, :hosts

  def initialize(*options)
    program = ENV.fetch('REPLSIM', 'node_modules/.bin/replsim')
    @lines = IO.popen([program, 'serve', '--port', '0', '--control', '0', '--json', '--quiet', '--exit-with-parent', *options])
    serving = @lines.gets
    @lines.gets or raise 'replsim serve has ended; it says why on stderr' # the second line: there is a primary
    @uri, @control, members = JSON.parse(serving).values_at('uri', 'control', 'members')
    @hosts = members.map { |member| member['host'] }
  end

  # Any request of docs/serve.md: `control('fault', kill: 'primary')`. Without a body it is a GET.
  def control(verb, body = nil)
    address = URI("#{@control}/#{verb}")
    answer = body.nil? ? Net::HTTP.get(address) : Net::HTTP.post(address, JSON.generate(body)).body
    reply = JSON.parse(answer)
    raise "#{verb}: #{reply['errmsg']}" unless reply['ok'] == 1

    reply
  end

  def stop
    Process.kill('TERM', @lines.pid)
    @lines.close
  end
end
