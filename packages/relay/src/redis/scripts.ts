/**
 * The Lua scripts of a stream. A server runs a script as one transaction, also for its replicas and its append-only file.
 *
 * KEYS: the stream; its state, a hash; the last sequence of each subject, a hash. Without the state, the relay did not
 * write the stream.
 */
import { createHash } from 'node:crypto'

/** A script and its SHA-1. */
export interface RedisScript {
  readonly text: string
  readonly sha: string
}

const script = (text: string): RedisScript => ({
  text,
  sha: createHash('sha1').update(text).digest('hex'),
})

/** Returns the end of the stream, or the first value -1 if another program has written. A deleted stream has no end. */
const READ_END = `local function readEnd()
local state=redis.call('HMGET',KEYS[2],'sequence','token','id')
if redis.call('EXISTS',KEYS[1])==0 then
if state[1]=='0' then return state end
return {false,false,false}
end
local last=redis.call('XREVRANGE',KEYS[1],'+','-','COUNT',1)[1]
if not state[1] or (last and last[1]~=state[1]..'-0') then return {'-1',last and last[1] or '',''} end
return state
end
`

/**
 * Arguments: the identity of a new stream, the number of messages, and filters as Lua patterns. Returns the end of the
 * stream, the messages, and the last message of each filter. Creates the state if there is no stream.
 */
export const TAIL = script(`${READ_END}local state=readEnd()
if not state[1] then
redis.call('DEL',KEYS[2],KEYS[3])
redis.call('HSET',KEYS[2],'sequence','0','token','','id',ARGV[1])
state={'0','',ARGV[1]}
end
if state[1]=='-1' then return state end
local entries={}
if ARGV[2]~='0' then entries=redis.call('XREVRANGE',KEYS[1],'+','-','COUNT',ARGV[2]) end
local found={}
local subjects={}
if #ARGV>2 then subjects=redis.call('HGETALL',KEYS[3]) end
for i=3,#ARGV do
local last=0
for at=1,#subjects,2 do
local sequence=tonumber(subjects[at+1])
if sequence>last and string.find(subjects[at],ARGV[i]) then last=sequence end
end
local id=string.format('%.0f',last)..'-0'
found[i-2]=last>0 and redis.call('XRANGE',KEYS[1],id,id)[1] or {}
end
return {state[1],state[2],state[3],entries,found}`)

/**
 * Arguments: the expected sequence and token, the new token, the maximum number of messages (0 for no limit), and for
 * each message its subject, the number of its fields and values, and these. Returns the end of the stream. The last
 * sequence of a subject is set once, to save calls of the server.
 */
export const APPEND = script(`${READ_END}local state=readEnd()
if state[1]~=ARGV[1] or state[2]~=ARGV[2] then return {state[1] or '0',state[2] or ''} end
local time=redis.call('TIME')
local at=time[1]..string.format('%03d',math.floor(tonumber(time[2])/1000))
local sequence=tonumber(ARGV[1])
local i=5
local subjects={}
while i<=#ARGV do
local count=tonumber(ARGV[i+1])
sequence=sequence+1
local text=string.format('%.0f',sequence)
redis.call('XADD',KEYS[1],text..'-0','at',at,unpack(ARGV,i+2,i+1+count))
subjects[ARGV[i]]=text
i=i+2+count
end
for subject,text in pairs(subjects) do redis.call('HSET',KEYS[3],subject,text) end
local last=string.format('%.0f',sequence)
redis.call('HSET',KEYS[2],'sequence',last,'token',ARGV[3])
if ARGV[4]~='0' then redis.call('XTRIM',KEYS[1],'MAXLEN','~',ARGV[4]) end
return {last,ARGV[3]}`)

/** Argument: maximum age in milliseconds, 0 for no limit. Deletes at most 1000 older messages. Returns the end of the stream. */
export const PROBE = script(`${READ_END}local state=readEnd()
if state[1] and state[1]~='-1' and ARGV[1]~='0' then
local time=redis.call('TIME')
local limit=time[1]*1000+math.floor(time[2]/1000)-ARGV[1]
local oldest=redis.call('XRANGE',KEYS[1],'-','+','COUNT',1000)
local from
for _,entry in ipairs(oldest) do
if tonumber(entry[2][2])>=limit then break end
from=string.format('%.0f',tonumber(string.match(entry[1],'^%d+'))+1)
end
if from then redis.call('XTRIM',KEYS[1],'MINID',from) end
end
return {state[1] or '0',state[2] or ''}`)
