// A summary in the place of older messages.

import { type Command, DRY_RUN, UsageError } from '../../command.js'
import { compactGiven } from '../../compact/given.js'
import { printPlan } from '../../compact/plan.js'
import { compactSummarized, retrySummaries } from '../../compact/summarized.js'
import { rejectTogether } from '../../input/arguments.js'

const LESSON = `The summary is yours (--summary-file), or made by a summarizer, which is one of these:
  extractive          no model: prompts, last replies, tools and files, word for word
  ollama:MODEL        a model of Ollama on this machine
  openai:MODEL        OpenAI, with the key in OPENAI_API_KEY
  anthropic:MODEL     Anthropic, with the key in ANTHROPIC_API_KEY
@URL after the model names another server that speaks the same API; it gets the key, too.
Of several, separated by commas, each is asked when those before it failed. If all fail, a note
takes the place of the summary, more is kept, and --retry replaces the note later.

Without --keep, --keep-from, --up-to or --from your summary replaces everything; a summarizer
keeps the last tenth. A call is never separated from its result. The session is locked only while
the result is written. Nothing is deleted: \`jsonl-session show --raw\` still prints it all.

Examples:
  $ jsonl-session compact demo --summarizer ollama:qwen2.5:7b,extractive --keep 30%
  compacted demo: 42 messages are 14 now, about 24,800 tokens 6,300; boundary c1d80b1e-…

  $ jsonl-session compact demo --dry-run --up-to 6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11
  demo: 42 messages, about 24,800 tokens (±6,200, estimated from their bytes)
    summarized  35 messages, 22,900 tokens: 0b0e7a52-… to 6a4f0c58-…
    kept        7 messages, 1,900 tokens: from 91aa0d1f-…
    saved       20,900 tokens, with a summary of 2,000
  nothing was written

Exit codes:
  0 compacted, shown, or nothing to retry · 2 wrong use, nothing to compact, or failed
  3 no such session or message · 5 another process has it open
`

export const compact: Command = {
  name: 'compact',
  summary: 'Replace older messages by a summary for the model; nothing is deleted',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'summary-file', value: 'F', text: 'the text of the summary; - reads it from stdin' },
    { name: 'summarizer', value: 'S', text: 'what makes the summary: see below' },
    { name: 'keep', value: 'N%', text: 'keep this share of the messages, the last ones' },
    { name: 'keep-from', value: 'U', text: 'keep this message and what follows it' },
    { name: 'up-to', value: 'U', text: 'summarize up to this message; keep what follows it' },
    { name: 'from', value: 'U', text: 'summarize from this message on; keep what is before it' },
    { name: 'retry', text: 'replace notes by the summaries that failed; needs --summarizer' },
    DRY_RUN,
    { name: 'plan', text: 'an earlier spelling of --dry-run', isHidden: true },
  ],
  lesson: LESSON,

  async run(call) {
    for (const names of ALTERNATIVES) rejectTogether(call, ...names)
    if (call.has('plan') || call.has('dry-run')) return printPlan(call)
    if (call.has('retry')) return retrySummaries(call)
    if (call.value('summarizer') !== undefined) return compactSummarized(call)
    if (call.value('summary-file') !== undefined) return compactGiven(call)
    throw new UsageError(
      'compact needs a summary: --summary-file notes.md, --summary-file - to read it from stdin, ' +
        'or --summarizer extractive',
    )
  },
}

/** There is one cut, one summary and one thing to do. */
const ALTERNATIVES = [
  ['keep', 'keep-from', 'up-to', 'from', 'retry'],
  ['summary-file', 'summarizer'],
  ['plan', 'dry-run'],
  ...['plan', 'dry-run'].flatMap((dry) => [
    [dry, 'retry'],
    ['summary-file', dry],
    ['keep-from', dry],
  ]),
  ['summary-file', 'retry'],
  ['keep-from', 'summarizer'],
]
