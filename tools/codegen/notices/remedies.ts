/** Advice for the reader of each notice. */

/** By type and kind. A kind without an entry stops the generator. */
export const REMEDIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  StreamNotice: {
    subscribed: 'Nothing to do.',
    reconnecting:
      'Nothing to do: the stream tries again. Alert if you receive no `subscribed` for longer than you accept.',
    resumed: 'Nothing to do.',
    gap: 'Load the data that you keep from these events again, for example your open orders. You can do that in the hook `backfill`.',
    'access-token-missing':
      'Check that the provider in `accessTokens` returns a token that the service accepts: `brokerwire token check`.',
    'heartbeat-late': 'Nothing to do: if no frame arrives until `timeoutMs`, the stream reconnects.',
    'missed-events':
      'Nothing to do if your hook has loaded them. Count them: each is an event that the stream did not deliver.',
    'backfill-incomplete':
      'Read `problems`, and remove their causes. Until then, treat the interval as a gap.',
    'duplicate-conflict':
      'Handle the event that follows, and report the conflict to the operator of the service.',
    'id-too-long': 'Accept duplicates of this event, or raise `maxIdBytes`.',
    'ack-backlog-full': 'Acknowledge events, or raise `maxUnacked`.',
    'cursor-write-failed': 'Check the store. A restart repeats the events since the last written cursor.',
  },
  QuotesNotice: {
    subscribed: 'Nothing to do.',
    reconnecting:
      'Nothing to do: the client tries again. Alert if you receive no `subscribed` for longer than you accept.',
    gap: 'For quotes and snapshots, nothing: the next one is complete. Load missed trades in the hook `backfill`.',
    rejected:
      'Correct the symbols, then call `add` or `set`. With `NO_CAPACITY`, remove symbols that you do not need.',
    'subscribe-failed':
      'Nothing to do: the call is retried. If it repeats, `code` and `status` name the cause.',
    stalled: 'Compare with the hours of the market. If it is open, see the option `resubscribeIntervalMs`.',
    'service-notice': 'Log the text.',
    overflow: 'Read items faster, select fewer symbols, or raise the bounds in `buffer`.',
    'backfill-failed': 'Correct the hook. Treat the interval as a gap.',
  },
  WriterChangedNotice: {
    'writer-changed': 'Nothing to do. `completeUntil` shows until when the stream is complete.',
  },
  WriterGap: {
    gap: 'Load the data that you keep from these events again, between `fromMs` and `toMs`.',
  },
  ReaderGap: {
    gap: 'Load your data again, and run the reader more often, or let the stream keep messages for longer.',
  },
}
