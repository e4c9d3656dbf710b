/**
 * The Lua scripts: one for each operation, each on one key, so that a cluster sends it to the primary of that key.
 * `sha` is the SHA-1 of the script, by which a server recognizes it after the first call.
 */

/** A script and its SHA-1. */
export interface RedisScript {
  /** The Lua text of the script. */
  readonly text: string
  /** SHA-1 of the text, in hexadecimal. */
  readonly sha: string
}

/**
 * Returns the text or nil. If another program has written a hash under the key, the script fails. A script is
 * used because clients may send plain reads to replicas, whose data can be older.
 */
export const GET: RedisScript = {
  text: `local held=redis.call('HMGET',KEYS[1],'text','writes')
if not held[1] and not held[2] and redis.call('EXISTS',KEYS[1])==1 then return redis.error_reply('WRONGTYPE of another program') end
return held[1]`,
  sha: 'b9b8dc53fa78a80153184bec9534143fe475233c',
}

/** Returns 1 if the text has the bytes of the argument. */
export const IS_TEXT: RedisScript = {
  text: `return redis.call('HGET',KEYS[1],'text')==ARGV[1] and 1 or 0`,
  sha: '4ef3e0327dc047792a1072ba6ee0f75b91e166b9',
}

/**
 * Arguments: the writer's name, the number of its write, the expected text and the new text. Before each text
 * is a flag that distinguishes no text from the empty one. Returns:
 *
 * - 1: the write has succeeded, now or when it was sent before
 * - 0: the stored text is not the expected one
 * - 2: a later write of the same writer is stored, so the outcome of this one is unknown
 *
 * A client that reconnects may send an unacknowledged write again (ioredis does). Without a record of writes,
 * the second copy would find the new text and report a failure. If another writer had restored the old text
 * in between, the second copy would overwrite it. So the last write of each writer in the last ten minutes is
 * stored with the text, even after a deletion.
 */
export const COMPARE_AND_SET: RedisScript = {
  text: `local held=redis.call('HMGET',KEYS[1],'text','writes')
local now,writes=held[1],held[2] or ''
if not now and not held[2] and redis.call('EXISTS',KEYS[1])==1 then return redis.error_reply('WRONGTYPE of another program') end
local from,to,last=string.find(writes,ARGV[1]..' (%d+) %d+;')
if last==ARGV[2] then return 1 end
if last and tonumber(last)>tonumber(ARGV[2]) then return 2 end
if ARGV[3]=='1' then
if now~=ARGV[4] then return 0 end
elseif now then return 0
elseif ARGV[5]=='0' then return 1 end
local time=redis.call('TIME')[1]
if from then writes=string.sub(writes,1,from-1)..string.sub(writes,to+1) end
writes=string.gsub(writes,'%x+ %d+ (%d+);',function(at)
if time-at>600 then return '' end
end)
writes=ARGV[1]..' '..ARGV[2]..' '..time..';'..writes
if #writes>65536 then writes=string.match(string.sub(writes,1,65536),'^.*;') end
if ARGV[5]=='1' then
redis.call('HSET',KEYS[1],'text',ARGV[6],'writes',writes)
if held[2] and not now then redis.call('PERSIST',KEYS[1]) end
else
redis.call('HDEL',KEYS[1],'text')
redis.call('HSET',KEYS[1],'writes',writes)
redis.call('PEXPIRE',KEYS[1],600000)
end
return 1`,
  sha: 'f1ad509a6d296a3e6630a9d44f0cb9f4aced00ea',
}

/** Acquires the lease, or starts it again for its holder. Arguments: token and milliseconds. */
export const ACQUIRE: RedisScript = {
  text: `local now=redis.call('GET',KEYS[1])
if now and now~=ARGV[1] then return 0 end
redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[2])
return 1`,
  sha: 'c2bf669282765e018152faf6f1802a8e7fe55773',
}

/** Extends the lease of its holder. Arguments: token and milliseconds. */
export const EXTEND: RedisScript = {
  text: `if redis.call('GET',KEYS[1])~=ARGV[1] then return 0 end
redis.call('PEXPIRE',KEYS[1],ARGV[2])
return 1`,
  sha: 'a2882b097596581a82158afd2a7daca2260f7777',
}

/** Releases the lease of its holder. Argument: token. */
export const RELEASE: RedisScript = {
  text: `if redis.call('GET',KEYS[1])~=ARGV[1] then return 0 end
redis.call('DEL',KEYS[1])
return 1`,
  sha: '76c4a31a47cae7b5564406c65429f99303da7f0a',
}
