package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
)

// account is the user of the tasks' processes.
type account struct {
	name, home string
	uid, gid   uint32
	groups     []uint32
}

// accountOf finds the user of --executor-user, or returns nil without the flag. effective is the user that the server
// runs as.
func accountOf(name string, effective int) (*account, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // tasks run as the server's own user
	}
	if effective != 0 {
		return nil, fmt.Errorf("--executor-user %s: only root can run tasks as another user; start `hivego serve` "+
			"as root, or with "+
			"--no-executor, and `hivego executor` as %s", name, name)
	}
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("--executor-user %s: there is no such user on this machine; make one, for instance "+
			"with "+
			"`useradd --system --create-home %s`", name, name)
	}
	a := &account{name: u.Username, home: u.HomeDir}
	if a.uid, err = number(u.Uid); err == nil {
		a.gid, err = number(u.Gid)
	}
	ids, listed := u.GroupIds()
	if err = errors.Join(err, listed); err != nil {
		return nil, fmt.Errorf("--executor-user %s: its groups cannot be read: %w", name, err)
	}
	for _, id := range ids {
		group, err := number(id)
		if err != nil {
			return nil, fmt.Errorf("--executor-user %s: group %s: %w", name, id, err)
		}
		a.groups = append(a.groups, group)
	}
	if a.uid == 0 {
		return nil, fmt.Errorf("--executor-user %s is root, which may do everything; name a user without rights", name)
	}
	return a, nil
}

func number(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	return uint32(n), err
}

// credential returns the user and groups for a process of the account.
func (a *account) credential() *syscall.Credential {
	return &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: a.groups}
}

// environment returns a clean environment, because tasks can read it and the server's own may hold secrets.
func (a *account) environment() []string {
	env := []string{"HOME=" + a.home, "USER=" + a.name, "LOGNAME=" + a.name}
	for _, name := range []string{"PATH", "LANG", "TZ"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// prepare makes the executor's data folder for the account, and checks that the account cannot enter the server's.
func (a *account) prepare(cfg *config.Serve) error {
	own, err := filepath.Abs(cfg.Data)
	if err != nil {
		return err
	}
	dir := executorData(cfg)
	if within(dir, own) || within(own, dir) {
		return fmt.Errorf("--executor-data %s and --data %s: neither may lie in the other, since %s may enter the "+
			"first only",
			dir, own, a.name)
	}
	info, err := os.Stat(own)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != 0 || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("--executor-user: others than root may enter the server's data folder; "+
			"run: chown root %s && chmod 700 %s", hive.ShellWord(own), hive.ShellWord(own))
	}
	for _, file := range protected(cfg)[1:] { // in a folder that others may write, these files could be replaced
		if err := a.keeps(filepath.Dir(file)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o711); err != nil { //nolint:gosec // the user passes through
		return fmt.Errorf("make the folder above --executor-data: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err == nil {
		return os.Lchown(dir, int(a.uid), int(a.gid))
	} else if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the executor's data folder (--executor-data): %w", err)
	}
	info, err = os.Lstat(dir) // a symbolic link could lead root to another place
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || st.Uid != a.uid {
		return fmt.Errorf("--executor-data %s is no folder of %s; run: chown -R %s %s", dir, a.name,
			hive.ShellWord(a.name), hive.ShellWord(dir))
	}
	return nil
}

// guard refuses folders of the server, and their parents, that users other than root could change: they could be
// replaced by links or other folders. It checks before anything is created there. Root creates the missing folders
// itself.
func (a *account) guard(cfg *config.Serve) error {
	for _, dir := range []string{cfg.Data, logFolder(cfg), filepath.Dir(keyFile(cfg.SecretKey, cfg.Data))} {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		for {
			if err := rootsAlone(dir); err != nil {
				return err
			}
			up := filepath.Dir(dir)
			if up == dir {
				break
			}
			dir = up
		}
	}
	return nil
}

// rootsAlone refuses a folder that users other than root could change. A missing folder passes, because root will
// create it.
func rootsAlone(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	open := info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0
	if !ok || st.Uid != 0 || open {
		return fmt.Errorf("--executor-user: others than root may change what is in %s, below which the server "+
			"keeps its files; "+
			"run: chown root %s && chmod go-w %s", dir, hive.ShellWord(dir), hive.ShellWord(dir))
	}
	return nil
}

// keeps refuses a folder of the server's files that users other than root may change.
func (a *account) keeps(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != 0 || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("--executor-user: others than root may change what is in %s, where the server keeps its "+
			"database or its key; "+
			"run: chown root %s && chmod go-w %s", dir, hive.ShellWord(dir), hive.ShellWord(dir))
	}
	return nil
}

// within reports whether a path is a folder or lies in it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
