# Tests that use replsim.rb.
require 'minitest/autorun'
require 'mongo'
require_relative 'replsim'

Mongo::Logger.logger.level = Logger::WARN

class SessionsTest < Minitest::Test
  def setup
    @set = ReplicaSet.new
    # Newer drivers take `@set.uri`, too; 2.5 cannot read a connection string under Ruby 3.
    @client = Mongo::Client.new(@set.hosts, replica_set: 'rs0', database: 'app')
  end

  def teardown
    # Otherwise driver 2.5 does so as the process ends, and looks for each stopped set for half a minute.
    @client.cluster.session_pool.end_sessions
    @client.close
    @set.stop
  end

  def test_old_sessions_are_deleted
    sessions = @client[:sessions]
    sessions.indexes.create_one({ lastSeen: 1 }, expire_after: 60)
    sessions.insert_one(lastSeen: Time.now)
    @set.control('advance', '61s')
    @set.control('until-ttl-pass', {})
    assert_equal 0, sessions.count
  end

  def test_orders_survive_a_failover
    @client[:orders].insert_one(_id: 1)
    killed = @set.control('status')['primary']
    elected = @set.control('fault', kill: 'primary', untilPrimary: true)['primary']
    refute_equal killed, elected
    @client[:orders].insert_one(_id: 2)
    assert_equal 2, @client[:orders].count
  end

  def test_a_mistake_says_what_is_wrong
    error = assert_raises(RuntimeError) { @set.control('fault', kil: 'primary') }
    assert_match 'fault has no field "kil"', error.message
  end
end
