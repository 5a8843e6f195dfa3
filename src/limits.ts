/*
 * Every limit of the service that no variable sets: its value; then its unit and why. `npm run limits:page` makes
 * docs/limits.md from this file.
 */

/* Connections and requests */
export const CONNECTIONS = 4_000; // connections: some 100 MB of memory, where none of them says anything
export const HEADERS_MS = 15_000; // ms: for the headers of a request
export const HEADER_BYTES = 256 * 1024; // bytes: a token of 2,000 clients is about 104 kB; twice that, and cookies of the same site
export const HEADER_LINES = 100; // lines: browsers send about 30, and proxies add some
export const TARGET_CHARACTERS = 8_192; // characters: RFC 9110 asks for 8,000 at least; the longest of ours has some hundred filters
export const KNOWN_INPUT_CHARACTERS = 1_000_000; // characters: of paths and queries that need not be read again; some megabytes of memory
export const KNOWN_LISTS = 500; // lists: whose statements need not be written again for the same caller; some kilobytes each
export const KNOWN_PARTITIONS = 1_000; // addresses and users: whose partition keys of limits are remembered
export const KEEP_ALIVE_MS = 65_000; // ms: longer than a load balancer's usual 60 s: it must be the one that ends an idle connection
export const ANSWER_STALL_MS = 60_000; // ms: how long a caller may take nothing of an answer that is being sent
export const LINGER_MS = 1_000; // ms: what nobody parses is still taken: closed at once, a connection would be reset and the answer lost
export const IDLE_GRACE_MS = 1_000; // ms: at the end an idle connection stays open for the request that may be on its way
export const DRAIN_MS = 7_000; // ms: what was taken is finished within it: the process has ten seconds in all
export const TURN_MS = 10; // ms: one request works so long before others have their turn
export const LOGGED_TEXT_CHARACTERS = 1_000; // characters: of what a caller says of itself, in the log and the audit record
export const LOGGED_ADDRESS_CHARACTERS = 100; // characters: of an address, in the same places
export const DETAIL_NAME_CHARACTERS = 200; // characters: of a name that a caller has made up, in an answer
export const PACKED_BYTES = 14_600; // bytes: an answer from here on is packed; less fits ten segments, and arrives no sooner
export const HEALTH_MS = 800; // ms: a load balancer waits for a second or two; a slower database is no place to send it to

/* Who asks how often */
export const WINDOW_MS = 60_000; // ms: what a rate limit counts in, from the first request that counts
export const SUBNET_BITS = 64; // bits of an IPv6 address: what a caller at an access line or a server has, counted as one address
export const NETWORK_BITS = 56; // bits of an IPv6 address: often 256 subnets of one firm, or one street
export const ADDRESSES_OF_A_NETWORK = 4; // addresses: a network may ask as often as so many: more than one, far less than 256
export const REDIS_MS = 50; // ms: what Redis may add to a request
export const REDIS_CONNECT_MS = 1_000; // ms: for Redis to accept a client; no request waits for it
export const REDIS_RETRY_MS = [250, 5_000] as const; // ms, first and longest: pauses before a lost place is tried again
export const STEADY_MS = 60_000; // ms: what worked as long as that and fails has a new reason: pauses begin anew

/* Bodies */
export const BODY_BYTES = 256 * 1024; // bytes: of one record, far more than its texts may have together
export const ROWS_BYTES = 10 * 1024 * 1024; // bytes: of a body with many records
export const ROWS = 10_000; // records: of one body; an empty line of a table is one too, for it costs as much
export const BODY_WINDOW_MS = 30_000; // ms: in each such time the rest of a body must come, or BODY_WINDOW_BYTES of it
export const BODY_WINDOW_BYTES = 256 * 1024; // bytes: a slow line of 70 kbit/s is fast enough
export const BODY_PIECES = 1_000; // pieces: that may be of any size; each costs as much work as a thousand bytes
export const BODY_PIECE_BYTES = 1024; // bytes: what all further pieces must have on average
export const BODY_WORK_MS = 60_000; // ms: all work on one body, with the turns of others: twice what its transaction may take
export const JSON_DIGITS = 15; // digits: what any number keeps on its way through a double; beyond, rules would see another number
export const JSON_DEPTH = 20; // levels: no body of ours has more than three; whatever walks through a value may recurse
export const FORM_FRAME_BYTES = 64 * 1024; // bytes: what a form may be longer than its file: boundaries and headers
export const FORM_PARTS = 10; // parts: what is no field is one all the same, and costs the same work
export const FORM_BOUNDARY_CHARACTERS = 70; // characters: RFC 2046, section 5.1.1
export const FILTER_VALUES = 20; // values: of one filter
export const KEY_CHARACTERS = 255; // characters: of an Idempotency-Key
export const PROBLEMS = 500; // errors: of one body that an answer names
export const CSV_ROW_CHARACTERS = 100_000; // characters: the longest text of a field, and all the others
export const CSV_CELLS = 1_000; // cells: of one line
export const CSV_PIECE_BYTES = 4 * 1024; // bytes: parsed before others have their turn: each may be a line
export const TEXT_PIECE_BYTES = 64 * 1024; // bytes: looked at or decoded before others have their turn

/* Imports */
export const IMPORT_MS = 30_000; // ms: for the transaction of a long import
export const IMPORT_FEW = 250; // records: up to so many are a request like any other
export const IMPORT_BATCH = 1_000; // records: of one statement: it is soon made, sent and undone
export const IMPORT_BATCH_CHARACTERS = 512 * 1024; // characters: the same
export const IMPORT_LOOKED_UP = 50; // ids: out of sight that are looked up, to say whether there is such a record, and whose
export const IMPORT_TRIED_AT_ONCE = 250; // lines: tried at once to find those that are refused: a request like any other
export const IMPORT_TRIALS = 200; // attempts: to find them
export const LIST_NEAR = 10_000; // rows: a page of what many rows have is among so many
export const SEARCH_WORDS = 10; // words: of q that count, the longest: each is a condition of its own
export const WORDS_NEAR = 2_500; // rows: the same for words, where fewer rows are found by an index
export const FOUND_FROM = 100; // clients: of a caller with fewer every claim is read for q sooner than words find them

/* Passwords */
export const PASSWORD_BYTES = 72; // bytes: that bcrypt looks at; whatever comes behind them would not count
export const PASSWORD_COST = 12; // two to the power of it are the rounds of a new hash: a quarter of a second of one processor
export const PASSWORD_HIGHEST_COST = 14; // as above, of the dearest hash that is worked out: each step more takes twice as long
export const PASSWORDS_WAITING = 16; // hashes: for the one thread: some seconds of work
export const PASSWORD_MS = 8_000; // ms: for a hash with its wait: what the longest queue takes on a quiet machine, and a little more

/* Tokens and the identity provider */
export const TOKEN_CHARACTERS = 256 * 1024; // characters: as much as the headers
export const TOKEN_HEADER_CHARACTERS = 16 * 1024; // characters: parsed before the signature; with a chain of certificates it has thousands
export const CLAIM_CHARACTERS = 255; // characters: of a subject, an email or a name
export const CLOCK_TOLERANCE_S = 30; // s: by which a token's times may be off
export const REMEMBERED_TOKENS = 10_000; // tokens: that need not be verified again
export const REMEMBERED_BYTES = 32 * 1024 * 1024; // bytes: of these tokens' callers
export const KEYS_BYTES = 512 * 1024; // bytes: of a key set
export const KEY_BITS = 2_048; // bits: of the shortest RSA key with which a signature may be verified (RFC 7518, 3.3)
export const KEYS_GOOD_MS = 600_000; // ms: after which keys are fetched again
export const PROVIDER_RETRY_MS = 30_000; // ms: after which a provider that failed is asked for keys or discovery again
export const NO_KEYS_RETRY_MS = 1_000; // ms: the same while no keys were ever obtained
export const PROVIDER_ANSWER_MS = 5_000; // ms: for each answer of the provider
export const DISCOVERY_BYTES = 64 * 1024; // bytes: of the provider's discovery
export const DISCOVERY_GOOD_MS = 600_000; // ms: after which it is read again
export const CLOCKS_MS = 60_000; // ms: between two comparisons of the clocks of provider, service and Postgres
export const CLOCK_PROVEN_MS = 60_000; // ms: a proof counts for an hour in the database: one in a minute is enough
export const CLOCK_OFF_MS = 3_000; // ms: beyond that somebody should set a clock
export const CLOCK_GOOD_MS = 300_000; // ms: for which a reading of the provider's clock is believed
export const CLOCK_FURTHEST_MS = 240_000; // ms: it and ours may each be off by two minutes; beyond, no token is refused for it

/* Changes of rights on their way to the provider */
export const MANAGEMENT_BYTES = 1024 * 1024; // bytes: of an answer of its management interface
export const MANAGEMENT_MESSAGE_CHARACTERS = 200; // characters: of its message that are kept
export const MANAGEMENT_RETRIES = 2; // attempts: at once, where it was away
export const MANAGEMENT_RETRY_MS = 200; // ms: before the first of them
export const MANAGEMENT_ROLES_MS = 600_000; // ms: for which its roles are remembered
export const MANAGEMENT_ROLES_PAGE = 100; // roles: of one page
export const MANAGEMENT_ROLES_PAGES = 10; // pages: of roles
export const MANAGEMENT_LIMITED_MS = 10_000; // ms: to wait when a 429 has no Retry-After
export const MANAGEMENT_WAIT_MS = [1_000, 3_600_000] as const; // ms, least and most: of what Retry-After may say
export const CREDENTIAL_BYTES = 256 * 1024; // bytes: of an answer of its token endpoint
export const CREDENTIAL_EARLY_MS = 60_000; // ms: a token so near its end is renewed before it is used
export const CREDENTIAL_LIFE_S = 300; // s: of a token that does not say how long it lasts
export const DELIVERIES = 8; // users: told of at a time
export const DELIVERY_MS = 20_000; // ms: for one delivery
export const DELIVERY_LEASE_MS = 30_000; // ms: a claim lasts so long without a word of whoever has it; a delivery ends well before
export const DELIVERY_IDLE_MS = 1_000; // ms: after nothing was found the delivery looks again
export const DELIVERY_RELEASE_MS = 1_000; // ms: for which a claim that is given back is left to others
export const DELIVERY_RARE_MS = 3_600_000; // ms: between attempts at what nobody but a person can mend
export const DELIVERED_FORGET_MS = 3_600_000; // ms: between removals of what was delivered long ago
export const DELIVERY_FAILING_USERS = 4; // users: failing after each other, with no success between, are no chance
export const DELIVERY_PAUSE_MS = [1_000, 30_000] as const; // ms, first and longest: pauses for a provider that is away
export const COMPARED_PAGE = 500; // users: read at once by identity:sync
export const COMPARED_AT_ONCE = 5; // users: that it asks the provider for at once
export const COMPARED_WAITS = 20; // times: that the provider may want to be left alone before it is given up
export const COMPARED_DELIVERY_MS = 60_000; // ms: for what was sent to arrive, before it is left to the service
export const COMPARED_LOOK_MS = 500; // ms: between two looks whether it has
export const PROGRESS_MS = 2_000; // ms: between two lines of a command on how far it is

/* Postgres */
export const GRACE_MS = 1_000; // ms: beyond DATABASE_STATEMENT_TIMEOUT_MS until a server counts as mute
export const CANCEL_BEFORE_MS = 500; // ms: before that the server is asked to give up: it then says what became of the statement
export const CONNECT_MS = 5_000; // ms: for a new connection, whatever statements may take
export const IDLE_MS = 30_000; // ms: after which a connection that nobody used is closed
export const TCP_KEEP_ALIVE_MS = 10_000; // ms: of silence before a connection is probed
export const WAITING_PER_CONNECTION = 100; // requests: that may wait for each connection of the pool
export const LEAVING_MS = 500; // ms: for the connections that were said goodbye to, at the end
export const PARTING_MS = 1_000; // ms: for the server to close what is ended in good order
export const CANCEL_MS = 60_000; // ms: for it to close a request to cancel; nobody waits for that
export const PRIMARY_ANSWER_MS = 2_000; // ms: for a server to say whether it takes writes
export const PRIMARY_PAUSE_MS = 200; // ms: while none takes writes, they are not asked again at once
export const VICTIM_PAUSE_MS = 50; // ms: before what a deadlock has undone is done again: the others go first
export const PREPARED_STATEMENTS = 300; // statements: of a connection: more than all endpoints need, tens of kilobytes each
export const STATEMENT_DIGESTS = 2_000; // texts: of statements whose names are remembered
export const STREAM_ROWS = 250; // rows: of a page of a long list: few enough to hold, many enough for an exchange
export const STREAM_PAGE_MS = 30_000; // ms: until whoever reads a long list asks for the next page
export const STREAM_MS = 300_000; // ms: until the last page of it is read
export const STREAM_IDLE_MS = 30_000; // ms: beyond a page's time Postgres ends the transaction of a process that stands still
export const LANE_MS = 2_000; // ms: statement time-out of connections that no request has: what is slow there is not worth waiting for
export const ADMIN_CONNECT_MS = 10_000; // ms: for a new connection of a command
export const ADMIN_ANSWER_MS = 10_000; // ms: for the smallest of answers before a server counts as mute
export const ADMIN_CLOSE_MS = 5_000; // ms: for the end of such a connection
export const DEPLOY_WAIT_MS = 120_000; // ms: that each step of a deploy or an archive waits for others
export const DEPLOY_SAY_MS = 5_000; // ms: of waiting until those in the way are named
export const DEPLOY_CLEAR_MS = 5_000; // ms: a pause between two attempts looks as if nobody were in the way, and is shorter
export const DEPLOY_SAY_AGAIN_MS = 30_000; // ms: between two such lines
export const DEPLOY_RETRY_MS = [50, 2_000] as const; // ms, first and longest: random pauses before a lock is tried again
export const DEPLOY_RACES = 10; // attempts: whoever loses a race for the catalog that often was refused for another reason
export const ARCHIVE_PAGE = 2_000; // records: read at once: some megabytes

/* Jobs */
export const HOUSEKEEPING_MS = 600_000; // ms: between two rounds of removals, and of months made ahead
export const FORGOTTEN_AT_ONCE = 500; // rows: removed by one statement, so that no round holds many at once
export const REMOVED_AT_ONCE = 100; // contents: removed from the store at once

/* Refusals on their way to the audit log */
export const REFUSAL_MS = 1_000; // ms: that an answer waits for Postgres to take its refusal
export const REFUSAL_DISK_MS = 2_000; // ms: that it waits for the disk after that
export const REFUSALS_WAITING = 10_000; // refusals: that may wait for each: some kilobytes of memory for one
export const REFUSALS_AT_ONCE = 500; // refusals: of one statement: some hundred milliseconds at most
export const REFUSALS_RETRY_MS = [250, 2_000] as const; // ms, first and longest: pauses before Postgres is tried again
export const REFUSALS_ROUND_MS = 10_000; // ms: between two looks at the database's clock, and for what ended processes left
export const REFUSALS_QUICK_MS = 500; // ms: an answer that took longer says too little of when the clock was read
export const REFUSAL_REASON_CHARACTERS = 1_900; // characters: of a reason; a record keeps 2,000 of a text
export const SPOOL_BYTES = 256 * 1024 * 1024; // bytes: of refusals on disk, 600 or so each; then refusing stops, with 503
export const SPOOL_FILE_BYTES = 1024 * 1024; // bytes: of one file: it is read at once, and removed as a whole
export const SPOOL_CLOSE_MS = 1_000; // ms: for the disk at the end; the lines themselves are synced already
export const SPOOL_SLOTS = 100; // processes: on one DATA_DIR: more than anybody starts by accident

/* Documents */
export const STORE_ANSWER_MS = 4_500; // ms: for an answer of the store: a download asks twice, within ten seconds
export const FILE_PIECE_BYTES = 256 * 1024; // bytes: of an upload that are written at once, or read back
export const STORE_STALL_MS = 8_000; // ms: for which nothing of a content may move, before it is given up
export const STORE_CONNECT_MS = 3_000; // ms: for a connection to an S3 store
export const ADDRESS_S = 60; // s: for which the address of a download at the store is good
export const UPLOAD_ABANDONED_MS = 3_600_000; // ms: longer than any upload may take: what is older, a crash has left
export const CHECK_PAGE = 1_000; // documents: read at once by documents:check
export const CHECK_AT_ONCE = 8; // contents: that it reads at once
export const CHECK_SUSPECTS = 50; // contents: looked at again at once, where something looks wrong
export const COMPOUND_SECTORS = 1_000; // sectors: of the directory of a .doc or .xls: more than any has; a longer chain is a loop

/* The process, its log and its figures */
export const CLOSING_MS = 9_000; // ms: for all parts to end: whoever stops the process often kills it after ten seconds
export const BREAKING_OFF_MS = 100; // ms: for a part to break off what takes too long
export const LAST_MS = 9_800; // ms: until the process ends whatever hangs, as a disk that is away
export const SAME_SIGNAL_MS = 500; // ms: one Ctrl-C comes twice: from the terminal, and from npm
export const LOOKING_MS = 500; // ms: that the first look at the database may still take at the end
export const LOG_TEXT_CHARACTERS = 1_000; // characters: of a text in the log
export const LOG_STACK_CHARACTERS = 4_000; // characters: of a stack: some frames
export const LOG_MEMBERS = 30; // members: of an object or a list in the log
export const LOG_DEPTH = 4; // levels: of an object in the log
export const METRICS_CONNECTIONS = 20; // connections: whoever collects figures is one or a few; the latest finds room
export const METRICS_CONNECTION_MS = 10_000; // ms: for one of them, whatever it sends and however slowly it reads
export const METRICS_KEPT_MS = 1_000; // ms: for which the same figures are given again
export const METRICS_ANSWER_MS = 1_000; // ms: for a part to say a figure: whoever collects them waits for ten seconds
export const TIMELINE_TRANSACTIONS = 20; // transactions: of a request that are noted: more than any has but an import
export const TRACES_MS = 1_000; // ms: for the collector to take traces
export const TRACES_SAY_MS = 60_000; // ms: between two lines that it takes none

/* The embedded Postgres */
export const EMBEDDED_MAKE_MS = 300_000; // ms: for making a cluster, which takes seconds
export const EMBEDDED_START_MS = 120_000; // ms: for its start
export const EMBEDDED_ANSWER_MS = 5_000; // ms: for its answer to a probe
export const EMBEDDED_STOP_MS = 8_000; // ms: for its end
export const EMBEDDED_LEFTOVER_MS = 15_000; // ms: for the end of one that an earlier process left
export const EMBEDDED_LEFTOVER_LOOK_MS = 20; // ms: between two looks whether it has ended
export const EMBEDDED_RETRY_MS = [250, 10_000] as const; // ms, first and longest: pauses before one that ended is started again
export const EMBEDDED_TAKEN_ATTEMPTS = 40; // attempts: while another process has the cluster
export const EMBEDDED_TAKEN_MS = 250; // ms: between two of them
export const EMBEDDED_LOG_MS = 60_000; // ms: between two looks at its log
export const EMBEDDED_LOG_BYTES = 10 * 1024 * 1024; // bytes: of its log; with the one before it there is twice as much
export const EMBEDDED_MESSAGE_CHARACTERS = 2_000; // characters: of what its programs say that are shown
export const EMBEDDED_PASSWORDS_MS = 120_000; // ms: for the passwords of a start, which may be the first work of a busy machine

/* The embedded identity provider */
export const LOGIN_EMAIL_CHARACTERS = 255; // characters: of an email that is looked up
export const LOGIN_FAILURES = 10; // failures: of an account from one address in LOGIN_WINDOW_MS
export const LOGIN_WINDOW_MS = 900_000; // ms: from the first of them
export const LOGINS_COUNTED = 10_000; // accounts and addresses: whose failures are counted
export const EMBEDDED_TOKEN_S = 900; // s: of a token, and of a page to log in
export const EMBEDDED_LOGIN_S = 43_200; // s: of a login with all that comes of it
export const EMBEDDED_GRANT_S = 2_592_000; // s: of what a user has allowed a program
