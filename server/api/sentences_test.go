package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/api/model"
)

// madeSentence is a call that makes a sentence.
type madeSentence struct {
	reason, text string
	params       []string // their names, sorted
	where        string
}

// codeWithSentences returns the folders of the code that makes sentences.
func codeWithSentences() []string {
	const executor = "../../executor/"
	return []string{
		"../hive", "../fleet", "../secret", "../connection/manage", "../dispatch", "../dispatch/wire",
		"../dispatch/registry", "../owner", "../session", "../state",
		executor + "internal/message", executor + "ledger", executor + "sdk", executor + "supervise",
		executor + "shell", executor + "sql", executor + "http",
	}
}

// sentencesInCode finds the constants that are reasons of sentences, and the calls that make sentences.
func sentencesInCode(t *testing.T) (constants map[string]string, made []madeSentence) {
	t.Helper()
	constants = map[string]string{}
	fset, files := token.NewFileSet(), []*ast.File{}
	for _, folder := range codeWithSentences() {
		paths, err := filepath.Glob(folder + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, paths, folder)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && isReason(file, spec) {
				constants[spec.Names[0].Name], _ = textOf(spec.Values[0])
			}
			return true
		})
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			s := madeSentence{reason: constants[nameOf(call.Args[0])], params: []string{}}
			s.where = fset.Position(call.Pos()).String()
			if s.reason == "" {
				return true
			}
			from := 2
			switch nameOf(call.Fun) {
			case "Quote", "Wrap":
				from, s.params = 3, []string{"words"}
			case "NewSentence", "unfit", "New", "Errorf":
			default:
				t.Errorf("%s: a reason goes to a function that this test does not know", s.where)
			}
			s.text, ok = textOf(call.Args[1])
			assert.True(t, ok, "%s: the text is not a literal", s.where)
			for i := from; i < len(call.Args); i += 2 {
				name, ok := textOf(call.Args[i])
				assert.True(t, ok, "%s: the name of a param is not a literal", s.where)
				s.params = append(s.params, name)
			}
			slices.Sort(s.params)
			made = append(made, s)
			return true
		})
	}
	return constants, made
}

// isReason reports whether a constant is the reason of a sentence.
func isReason(file *ast.File, spec *ast.ValueSpec) bool {
	kind := nameOf(spec.Type)
	return len(spec.Values) == 1 && (kind == "SentenceReason" || kind == "Reason" && file.Name.Name == "message")
}

// nameOf returns the last name of an expression such as hive.SentenceLostLease.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	default:
		return ""
	}
}

// textOf evaluates a literal, or several that are joined.
func textOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, okX := textOf(e.X)
		y, okY := textOf(e.Y)
		return x + y, okX && okY && e.Op == token.ADD
	default:
		return "", false
	}
}

// placeholders lists the names that stand between the marks in a text, sorted and once each.
func placeholders(text, from, to string) []string {
	names := []string{}
	for _, m := range regexp.MustCompile(from+`(\w+)`+to).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Some code uses each reason. The pages have its text in both languages: the English text equals the text in the code,
// and the other one has no param that the code lacks.
func TestSentencesHaveTextsInEachLanguage(t *testing.T) {
	t.Parallel()
	constants, made := sentencesInCode(t)
	require.Greater(t, len(constants), 100)
	var en, zh map[string]string
	readTexts(t, "en", "sentences.json", &en)
	readTexts(t, "zh", "sentences.json", &zh)
	given := map[string]bool{}
	for _, s := range made {
		given[s.reason] = true
		assert.Equal(t, s.params, placeholders(s.text, "‹", "›"), s.where)
		assert.Equal(t, regexp.MustCompile(`‹(\w+)›`).ReplaceAllString(s.text, "{{$1}}"), en[s.reason], s.where)
		require.NotEmpty(t, zh[s.reason], s.reason)
		assert.Subset(t, s.params, placeholders(zh[s.reason], "{{", "}}"), s.reason)
	}
	for name, reason := range constants {
		assert.True(t, given[reason], "no code gives %s", name)
	}
	for _, s := range everyStoredSentence(t) {
		given[s.Reason] = true
		require.NotEmpty(t, en[s.Reason], s.Reason)
		require.NotEmpty(t, zh[s.Reason], s.Reason)
		if !slices.ContainsFunc(made, func(m madeSentence) bool { return m.reason == s.Reason }) {
			assert.Subset(t, placeholders(s.Words, "‹", "›"), placeholders(en[s.Reason], "{{", "}}"), s.Reason)
			assert.Subset(t, placeholders(s.Words, "‹", "›"), placeholders(zh[s.Reason], "{{", "}}"), s.Reason)
		}
	}
	for reason := range en {
		assert.True(t, given[reason], "nothing gives %s", reason)
	}
	assert.Len(t, zh, len(en))
}

// A reason has one meaning: no reason of a sentence is also a reason of a problem or a fault.
func TestReasonsOfSentencesAreTheirOwn(t *testing.T) {
	t.Parallel()
	var en map[string]string
	readTexts(t, "en", "sentences.json", &en)
	for reason := range en {
		assert.False(t, model.ProblemReason(reason).Valid(), "%s is a reason of problems, too", reason)
		for _, faults := range textsOfFaults(t) {
			assert.NotContains(t, faults.Fault, reason)
		}
	}
}
