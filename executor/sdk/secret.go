package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rprp/hivego/executor/internal/mask"
	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// maxFilled is how many bytes the secrets may take in the params. A mark is short, and may stand there many times.
const maxFilled = 16 << 20

// fillSecrets puts the secrets of an assignment into the params, in place of their marks. From then on they must not
// be written anywhere.
func (t *Task) fillSecrets(secrets []*hivego.SecretText) error {
	pairs := make([]string, 0, 2*len(secrets))
	size := 0
	for _, s := range secrets {
		if s.GetMark() == "" {
			return errors.New("a secret without a mark")
		}
		size += strings.Count(string(t.Params), s.GetMark()) * len(s.GetText())
		pairs = append(pairs, s.GetMark(), s.GetText())
		t.Secrets = append(t.Secrets, s.GetValue())
	}
	t.masks = mask.New(t.Secrets)
	if len(secrets) == 0 {
		return nil
	}
	if size > maxFilled {
		return fmt.Errorf("the secrets take more than %d bytes of the params; use them in fewer places", maxFilled)
	}
	d := json.NewDecoder(bytes.NewReader(t.Params))
	d.UseNumber()
	var params map[string]any
	if err := d.Decode(&params); err != nil {
		return errors.New("params are not a JSON object") // the decoder's error is about marks only, and helps nobody
	}
	filled, err := json.Marshal(filledIn(params, strings.NewReplacer(pairs...)))
	if err != nil {
		return fmt.Errorf("params with secrets: %w", err)
	}
	t.Params = filled
	return nil
}

// filledIn replaces marks in all texts of a value, but not in the names of fields.
func filledIn(value any, marks *strings.Replacer) any {
	switch v := value.(type) {
	case string:
		return marks.Replace(v)
	case []any:
		for i := range v {
			v[i] = filledIn(v[i], marks)
		}
	case map[string]any:
		for name := range v {
			v[name] = filledIn(v[name], marks)
		}
	}
	return value
}

// Mask returns a text with the secrets of the task masked.
func (t *Task) Mask(text string) string { return t.masks.String(text) }

// masked returns the outcome with the secrets of the task masked.
func (t *Task) masked(o Outcome) Outcome {
	if t == nil || t.masks == nil {
		return o
	}
	o.Error, o.Params, o.Outputs = t.masks.String(o.Error), t.masks.Map(o.Params), t.masks.Map(o.Outputs)
	return o
}

// maskedText returns a text for the server with the secrets of the task masked.
func (t *Task) maskedText(text message.Text) message.Text {
	text.Words, text.Params = t.masks.String(text.Words), t.masks.Map(text.Params)
	return text
}
