#!/bin/sh
# Begins the container. A command meant for the official image of mongod becomes `replsim serve`; anything else is a command of replsim.
set -eu
here=$(dirname "$(readlink -f "$0")")
init=${REPLSIM_INIT_FOLDER:-/docker-entrypoint-initdb.d}

say() { echo "replsim: $*" >&2; }
refuse() {
  say "$*"
  exit 2
}

case "${1-}" in
  mongod) shift ;;
  --help | -h | --version | -V) exec replsim "$@" ;;
  -*) ;;
  *) exec replsim "$@" ;;
esac

# Turns the options of mongod into those of `replsim serve`. Arguments before the mark are still to be read, those behind it have been.
port=27017 members=1 named='' anyone='' users='' unused='' access='' auth='' key='' config='' certificate='' password=''
set -- "$@" '|'
while [ "$1" != '|' ]; do
  word=$1
  shift
  case $word in
    --*=*)
      # As two words from here on.
      set -- "${word%%=*}" "${word#*=}" "$@"
      continue
      ;;
  esac
  value=$1
  case $word in
    --port | --members | --replSet | --dbpath | --config | -f | --setParameter | --host-name | --any-user | --bind_ip | --logpath | \
      --keyFile | --storageEngine | --clusterAuthMode | --pidfilepath | --oplogSize | --slowms | --maxConns | --networkMessageCompressors | \
      --timeStampFormat | --logRotate | --profile | --tlsMode | --sslMode | \
      --tlsCertificateKeyFile | --tlsCertificateKeyFilePassword | --tlsCAFile | --tlsDisabledProtocols | --sslPEMKeyFile | --sslPEMKeyPassword | --sslCAFile | --sslDisabledProtocols)
      [ "$value" != '|' ] || refuse "$word needs a value"
      shift
      ;;
    --wiredTigerDirectoryForIndexes) ;;
    --wiredTiger*)
      [ "$value" != '|' ] || refuse "$word needs a value"
      shift
      ;;
    --enableMajorityReadConcern)
      # Its value may be missing.
      case $value in
        true | false) shift ;;
        *) value=true ;;
      esac
      ;;
  esac
  case $word in
    --port) port=$value ;;
    --members) members=$value ;;
    --bind_ip_all) anyone=1 ;;
    --bind_ip)
      case $value in
        localhost | 127.0.0.1 | ::1 | 127.0.0.1,::1 | localhost,::1) ;;
        *) anyone=1 ;;
      esac
      ;;
    --any-client) anyone=1 ;;
    --host-name) named=1 && set -- "$@" --host-name "$value" ;;
    --any-user) users=1 && set -- "$@" --any-user "$value" ;;
    --config | -f) config=$value && set -- "$@" --config "$value" ;;
    --replSet | --dbpath | --setParameter | --oplogSize | --networkMessageCompressors | --maxConns | --tlsMode | --sslMode | --tlsCAFile | \
      --tlsDisabledProtocols | --sslCAFile | --sslDisabledProtocols) set -- "$@" "$word" "$value" ;;
    --tlsCertificateKeyFile | --sslPEMKeyFile) certificate=$value && set -- "$@" "$word" "$value" ;;
    --tlsCertificateKeyFilePassword | --sslPEMKeyPassword) password=$value && set -- "$@" "$word" "$value" ;;
    --auth) auth=1 access="$access $word" ;;
    --keyFile) key=$value access="$access $word" ;;
    --clusterAuthMode)
      [ "$value" = keyFile ] || refuse "--clusterAuthMode $value: members know each other by key files only; remove it"
      access="$access $word"
      ;;
    --storageEngine) [ "$value" = wiredTiger ] || refuse "--storageEngine $value: members behave as with wiredTiger" ;;
    --shardsvr | --configsvr) refuse "$word is not supported: there is no sharding" ;;
    --profile)
      [ "$value" = 0 ] || refuse "--profile $value: the profiler cannot be on from the start; clients turn it on with db.setProfilingLevel()"
      unused="$unused $word $value"
      ;;
    --nojournal) refuse "--nojournal: members of a replica set always have a journal; remove it" ;;
    --slowms | --timeStampFormat | --logRotate) unused="$unused $word $value" ;;
    --enableMajorityReadConcern)
      [ "$value" = true ] || refuse "$word false: it was a startup option until 4.4, and always true since 5.0; remove it"
      unused="$unused $word"
      ;;
    --wiredTigerDirectoryForIndexes) unused="$unused $word" ;;
    --logpath | --wiredTiger* | --pidfilepath) unused="$unused $word $value" ;;
    --verbose | --syslog | --noscripting | --fork | --logappend | --journal | --ipv6 | --directoryperdb | --nounixsocket | -v | -vv) unused="$unused $word" ;;
    *) set -- "$@" "$word" ;;
  esac
done
shift

# The healthcheck and whoever initialises speak TLS where the members take nothing else, with a certificate if they want one.
tmp=${TMPDIR:-/tmp}
rm -f "$tmp/replsim-by-tls" "$tmp/replsim-certificate"
# What the file says of a key, less its quotes.
in_config() { sed -nE "s/^ *($1): *//p" "$config" | sed "s/^[\"']//; s/[\"']\$//" | head -n 1; }
if [ -r "$config" ]; then
  certificate=${certificate:-$(in_config 'certificateKeyFile|PEMKeyFile')}
  password=${password:-$(in_config 'certificateKeyFilePassword|PEMKeyPassword')}
fi
[ -z "$certificate" ] || (umask 077 && printf '%s\n%s' "$certificate" "$password" >"$tmp/replsim-certificate")
tls_password=$password

# The value of a variable, or of the file that another one names.
read_secret() {
  eval "value=\${$1-} file=\${${1}_FILE-}"
  [ -z "$value" ] || [ -z "$file" ] || refuse "$1 and ${1}_FILE: set only one of them"
  if [ -n "$file" ]; then
    [ -r "$file" ] || refuse "${1}_FILE: $file cannot be read"
    value=$(cat "$file")
  fi
  [ -z "$value" ] || access="$access $1"
}
read_secret MONGO_INITDB_ROOT_USERNAME
root=$value
read_secret MONGO_INITDB_ROOT_PASSWORD
password=$value
if [ "${root:+set}" != "${password:+set}" ]; then
  refuse "MONGO_INITDB_ROOT_USERNAME and MONGO_INITDB_ROOT_PASSWORD: set both, or none, so that the user can be created"
fi
[ -z "$unused" ] || say "without effect:$unused"
if [ -n "$users" ]; then
  root=''
  [ -z "$access" ] || say "with --any-user logging in is possible, and never required:$access"
else
  if [ -n "$root$auth" ] && [ -z "$key" ]; then
    # Members know each other by it, and nobody else needs it.
    key=$tmp/replsim-key
    rm -f "$key"
    (umask 077 && node -e 'process.stdout.write(require("node:crypto").randomBytes(48).toString("base64"))' >"$key")
  fi
  # Access control is on with a key file.
  [ -z "$key" ] || set -- "$@" --keyFile "$key"
fi

scripts=''
for file in "$init"/*; do
  case $file in
    "$init/*") ;;
    *.js)
      command -v mongosh >/dev/null ||
        refuse "$file: mongosh runs such files, and this image does not have it; use an image built from this one that has mongosh"
      scripts=1
      ;;
    *) refuse "$file: only files that end in .js are run, by mongosh" ;;
  esac
done

# Other containers know this one by its name, as a mongod would call itself.
if [ -n "$anyone" ]; then
  set -- "$@" --any-client
  if [ -z "$named" ]; then
    i=0
    while [ "$i" -lt "$members" ]; do
      set -- "$@" --host-name "n$((i + 1))=$(hostname):$((port + i))"
      i=$((i + 1))
    done
  fi
fi
# With names of their own, members listen at the ports of these.
[ -n "$named" ] || set -- "$@" --port "$port"

if [ -n "$scripts$root" ]; then
  # The healthcheck waits for this file to go away.
  : >"$tmp/replsim-initialising"
  (
    trap 'say "the root user or a script has failed, so the set ends"; kill -TERM $$' EXIT
    until node "$here/health.mjs" "$port" >/dev/null 2>&1; do
      kill -0 $$ || { trap - EXIT && exit 0; }
      sleep 0.2
    done
    set -- --quiet
    if [ -e "$tmp/replsim-by-tls" ]; then
      set -- "$@" --tls --tlsAllowInvalidCertificates --tlsAllowInvalidHostnames
      [ -z "$certificate" ] || set -- "$@" --tlsCertificateKeyFile "$certificate"
      [ -z "$tls_password" ] || set -- "$@" --tlsCertificateKeyFilePassword "$tls_password"
    fi
    if [ -n "$root" ]; then
      MONGO_INITDB_ROOT_USERNAME=$root MONGO_INITDB_ROOT_PASSWORD=$password node "$here/root.mjs" "$port"
      set -- "$@" --username "$root" --password "$password" --authenticationDatabase admin
    fi
    [ -z "$scripts" ] || for file in "$init"/*.js; do
      say "running $file"
      mongosh "$@" "mongodb://127.0.0.1:$port/${MONGO_INITDB_DATABASE:-test}" "$file"
    done
    rm "$tmp/replsim-initialising"
    trap - EXIT
  ) &
fi
echo "$port" >"$tmp/replsim-port"
exec replsim serve --members "$members" "$@"
