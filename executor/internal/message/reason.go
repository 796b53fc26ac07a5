package message

// Reason is the reason of a Text. It is stable, as servers store it. The server's pages have a text for each of them.
type Reason string

// Why an executor takes nothing new, with their params.
const (
	ExecutorDisk  Reason = "executor_disk"  // free, kept
	ExecutorSlots Reason = "executor_slots" // slots
)

// How attempts ended, with their params.
const (
	LostRestart     Reason = "lost_restart"
	LostCheckpoint  Reason = "lost_kept"    // words
	LostHandler     Reason = "lost_handler" // name
	LostStopped     Reason = "lost_stopped"
	LostProcess     Reason = "lost_process"
	LostSupervisor  Reason = "lost_supervisor"
	KilledSilent    Reason = "killed_silent"
	TimedOut        Reason = "timed_out"
	TimedOutStopped Reason = "timed_out_stopped"
	NotStarted      Reason = "could_not_start" // words
	NoHandler       Reason = "no_such_handler" // name
)

// Errors of the handler shell, with their params.
const (
	ShellCommand     Reason = "shell_command"
	ShellInterpreter Reason = "shell_interpreter"
	ShellNUL         Reason = "shell_nul"
	ShellEnv         Reason = "shell_env" // name
	ShellWorkdirNUL  Reason = "shell_workdir_nul"
	ShellWorkdirOut  Reason = "shell_workdir_out"  // path
	ShellWorkdirNone Reason = "shell_workdir_none" // path
	ShellProgramNone Reason = "shell_program_none" // program
	ShellProgramPath Reason = "shell_program_path" // program, path
)

// Errors of the handler sql, with their params.
const (
	SQLConnection         Reason = "sql_connection"
	SQLSource             Reason = "sql_source"
	SQLFileOut            Reason = "sql_file_out"        // path
	SQLConnectionForm     Reason = "sql_connection_form" // file
	SQLConnectionURL      Reason = "sql_connection_url"
	SQLConnectionPassword Reason = "sql_connection_password" // file
	SQLFile               Reason = "sql_sqlite_file"
	SQLConnectionUnknown  Reason = "sql_connection_unknown" // name, file, known
	SQLConnectionType     Reason = "sql_connection_type"    // name, type
	SQLPathOut            Reason = "sql_path_out"           // path
	SQLNone               Reason = "sql_none"
	SQLBind               Reason = "sql_bind"           // name, known
	SQLArgKind            Reason = "sql_arg_kind"       // number
	SQLArgMissing         Reason = "sql_arg_missing"    // place, number, count
	SQLArgUnused          Reason = "sql_arg_unused"     // number, place
	SQLConnect            Reason = "sql_connect"        // place, words
	SQLNotFile            Reason = "sql_not_file"       // path
	SQLStatement          Reason = "sql_statement"      // number, line, words
	SQLStatementFile      Reason = "sql_statement_file" // file, number, line, words
)

// Errors of the handler http, with their params.
const (
	HTTPMethod        Reason = "http_method" // value
	HTTPURL           Reason = "http_url"
	HTTPURLUnread     Reason = "http_url_unread"
	HTTPURLScheme     Reason = "http_url_scheme"
	HTTPURLHost       Reason = "http_url_host"
	HTTPURLUser       Reason = "http_url_user"
	HTTPURLDots       Reason = "http_url_dots"
	HTTPBodies        Reason = "http_bodies"
	HTTPNoBody        Reason = "http_no_body" // method
	HTTPJSON          Reason = "http_json"
	HTTPSecretHeader  Reason = "http_secret_header" // name
	HTTPHeaderName    Reason = "http_header_name"   // name
	HTTPHeaderEmpty   Reason = "http_header_empty"
	HTTPHeaderOwn     Reason = "http_header_own"     // name
	HTTPHeaderControl Reason = "http_header_control" // name
	HTTPAuthType      Reason = "http_auth_type"      // value
	HTTPAuthUser      Reason = "http_auth_user"
	HTTPAuthTwice     Reason = "http_auth_twice"
	HTTPRetries       Reason = "http_retries"
	HTTPRedirects     Reason = "http_redirects"
	HTTPShowBody      Reason = "http_show_body"
	HTTPExpect        Reason = "http_expect"
	HTTPTLSPair       Reason = "http_tls_pair"
	HTTPTLSPath       Reason = "http_tls_path" // file
	HTTPFailed        Reason = "http_failed"   // words
)
